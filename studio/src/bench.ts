// Figures of the library in this browser, on the elephant: bench.html shows them, and leaves them in data-result for scripts.

import { Isochor, type Turn } from 'isochor';

const out = document.getElementById('out')!;
const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const largest = (values: number[]): number => Math.max(...values);

async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const start = performance.now();
  const result = await work();
  return [performance.now() - start, result];
}

/** Every joint turned a little, another way at each moment. */
function turns(count: number, moment: number): Turn[] {
  return Array.from({ length: count }, (_, joint) => {
    const angle = 0.25 * Math.sin(moment * 0.37 + joint), axis = joint % 3;
    const sine = Math.sin(angle / 2);
    return [joint, axis === 0 ? sine : 0, axis === 1 ? sine : 0, axis === 2 ? sine : 0, Math.cos(angle / 2)];
  });
}

async function measure(): Promise<Record<string, number>> {
  const [start, isochor] = await timed(() => Isochor.start());
  const [open, { character }] = await timed(() => isochor.openSample('elephant'));
  const joints = character.joints.length;
  const binds: number[] = [], inside: number[] = [];
  for (let i = 0; i < 3; ++i) {
    await isochor.openSample('elephant');  // what was measured before is gone
    const [time, report] = await timed(() => isochor.bind({ method: 'gvb', resolution: 128 }));
    binds.push(time);
    inside.push(1000 * ['voxelize', 'sparsify', 'distance', 'weights'].reduce((sum, stage) => sum + (report.seconds[stage] ?? 0), 0));
  }
  const corrections: number[] = [], skins: number[] = [], round: number[] = [];
  for (let i = 0; i < 120; ++i) {
    const [time, frame] = await timed(() => isochor.frame({ clip: -1, time: 0, views: ['lbs', 'held'], turns: turns(joints, i) }));
    const { lbs, held } = frame!.views;
    corrections.push(held!.milliseconds - lbs!.milliseconds);
    skins.push(lbs!.milliseconds);
    round.push(time);
  }
  const falloffs: number[] = [];
  for (let i = 0; i < 30; ++i) {
    const [time] = await timed(async () => {
      await isochor.weigh({ falloff: 0.1 + 0.02 * i, joints: [], draft: true });
      await isochor.frame({ clip: -1, time: 0, views: ['held'], turns: turns(joints, i), paint: 'weight', joint: 5 });
    });
    falloffs.push(time);
  }
  const settled: number[] = [];
  for (let i = 0; i < 5; ++i) settled.push((await timed(() => isochor.weigh({ falloff: 0.1 + 0.1 * i, joints: [] })))[0]);
  const curves: number[] = [];
  for (let i = 0; i < 20; ++i) {
    const [time] = await timed(async () => {
      await isochor.setSettings({ default: { effect: 'curve', mu: [0.1, 0.45, 0.45], x: [[-0.6, 0], [0, 0.5 + 0.02 * i], [0.6, 0]] } });
      await isochor.frame({ clip: -1, time: 0, views: ['held'], turns: turns(joints, i) });
    });
    curves.push(time);
  }
  const memory = await isochor.memory();
  isochor.dispose();
  return {
    vertices: character.vertices, joints, start_ms: start, open_ms: open, bind_128_ms: median(binds), bind_128_inside_ms: median(inside), skin_ms: median(skins), correct_ms: median(corrections),
    correct_largest_ms: largest(corrections), frame_round_trip_ms: median(round), falloff_to_frame_ms: median(falloffs), falloff_to_frame_largest_ms: largest(falloffs), falloff_settled_ms: median(settled), curve_to_frame_ms: median(curves),
    memory_mb: memory / 2 ** 20,
  };
}

measure().then((result) => {
  out.textContent = Object.entries(result).map(([name, value]) => `${name.padEnd(30)} ${value.toFixed(2)}`).join('\n');
  document.body.dataset['result'] = JSON.stringify(result);
}, (error: unknown) => {
  out.textContent = String(error);
  document.body.dataset['result'] = JSON.stringify({ error: String(error) });
});
