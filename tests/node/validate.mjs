// Runs the Khronos glTF validator.
//
//   node validate.mjs FILE...             prints {"FILE": [{code, severity, pointer, message}, ...], ...}
//   node validate.mjs --compare LIST      LIST is a JSON file [{"input": FILE or null, "output": FILE}, ...]: fails where an
//                                         output has an error or a warning that its input has not
//
// Severities: 0 error, 1 warning, 2 information, 3 hint. Exit codes: 0 good, 1 findings, 2 usage, 77 validator not installed.

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

let validator;
try {
  validator = (await import('gltf-validator')).default;
} catch {
  console.log('gltf-validator is not installed: run "npm ci" in tests/node');
  process.exit(77);
}

async function issues_of(file) {
  const bytes = new Uint8Array(await readFile(file));
  const report = await validator.validateBytes(bytes, {
    uri: file,
    maxIssues: 0,
    writeTimestamp: false,
    externalResourceFunction: async (uri) => new Uint8Array(await readFile(resolve(dirname(file), decodeURIComponent(uri)))),
  });
  return report.issues.messages.map(({ code, severity, pointer, message }) => ({ code, severity, pointer, message }));
}

const serious = (issues) => issues.filter((issue) => issue.severity <= 1);

// An edit may move an element or duplicate a mesh, so that findings are compared by their code.
function new_findings(before, after) {
  const known = new Set(serious(before).map((issue) => issue.code));
  return serious(after).filter((issue) => !known.has(issue.code));
}

async function compare(list) {
  const pairs = JSON.parse(await readFile(list, 'utf8'));
  const inputs = new Map();
  let failures = 0;
  for (const { input, output } of pairs) {
    if (input && !inputs.has(input)) inputs.set(input, await issues_of(input));
    const found = new_findings(input ? inputs.get(input) : [], await issues_of(output));
    if (found.length === 0) continue;
    failures += 1;
    console.log(`${output}: ${found.length} new findings, the first ones are`);
    for (const issue of found.slice(0, 5)) console.log(`  ${issue.code} at ${issue.pointer}: ${issue.message}`);
  }
  console.log(`${pairs.length} files validated, ${failures} with new findings`);
  return failures === 0 ? 0 : 1;
}

const args = process.argv.slice(2);
if (args.length === 2 && args[0] === '--compare') {
  process.exit(await compare(args[1]));
} else if (args.length > 0 && !args[0].startsWith('--')) {
  const report = {};
  for (const file of args) report[file] = await issues_of(file);
  console.log(JSON.stringify(report, null, 2));
} else {
  console.log('usage: node validate.mjs FILE... | --compare LIST');
  process.exit(2);
}
