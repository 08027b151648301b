export { Isochor, type JobOptions, type StartOptions } from './client.js';
export * from './types.js';
