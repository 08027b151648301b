// Line icons, drawn for this program: 16 × 16, in the colour of the text around them.

import { svg } from './dom';

const paths = {
  play: 'M4.5 2.8v10.4l8.5-5.2z',
  pause: 'M5 3v10M11 3v10',
  first: 'M4 3v10M12.5 3.2v9.6L6 8z',
  loop: 'M3 8a5 5 0 0 1 8.6-3.4M13 8a5 5 0 0 1-8.6 3.4M11.8 1.8v3h-3M4.2 14.2v-3h3',
  undo: 'M6.5 3 3 6.5 6.5 10M3.4 6.5H9a4 4 0 0 1 0 8H6.5',
  redo: 'M9.5 3 13 6.5 9.5 10M12.6 6.5H7a4 4 0 0 0 0 8h2.5',
  one: 'M2.5 3.5h11v9h-11z',
  three: 'M2 3.5h12v9H2zM6 3.5v9M10 3.5v9',
  sun: 'M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6M8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8 13 13M13 3l-1.2 1.2M4.2 11.8 3 13',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
  open: 'M2 12.5v-9h4l1.5 2h6.5v7z',
  close: 'M4 4l8 8M12 4l-8 8',
  pen: 'M3 13l.8-3.2L11 2.6l2.4 2.4-7.2 7.2z',
  point: 'M2 12c3 0 3-8 6-8s3 8 6 8M8 2.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3',
  chevron: 'M6 4l4 4-4 4',
  joint: 'M8 2.5 10.5 8 8 13.5 5.5 8z',
  node: 'M8 5.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5',
  reset: 'M3 3v4h4M3.3 7A5.2 5.2 0 1 1 3 9.5',
  warning: 'M8 2.2 14.5 13.5h-13zM8 6.5v3.2M8 11.4v.4',
  note: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M8 7v4M8 4.8v.4',
  export: 'M8 10V2.5M5 5l3-3 3 3M3 9.5V13h10V9.5',
  camera: 'M2 5h3l1-1.8h4L11 5h3v8H2zM8 6.8a2.2 2.2 0 1 1 0 4.4 2.2 2.2 0 0 1 0-4.4',
} as const;

export type IconName = keyof typeof paths;

export function icon(name: IconName): SVGElement {
  return svg('svg', { viewBox: '0 0 16 16', class: 'icon', 'aria-hidden': 'true' }, svg('path', { d: paths[name] }));
}
