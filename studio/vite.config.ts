import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const outDir = '../build/studio';

/** NAME.wasm.gz beside every module: three quarters of a visit are the module, and not every server compresses it. */
function compressModules(): Plugin {
  return {
    name: 'compress-modules',
    closeBundle() {
      const folder = join(outDir, 'assets');
      for (const name of readdirSync(folder).filter((file) => file.endsWith('.wasm'))) {
        writeFileSync(join(folder, `${name}.gz`), gzipSync(readFileSync(join(folder, name)), { level: 9 }));
      }
    },
  };
}

// Plain files with relative addresses: the page may lie in any folder of any server.
export default defineConfig({
  base: './',
  build: {
    target: 'es2022',
    outDir,
    emptyOutDir: true,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { input: { studio: 'index.html', bench: 'bench.html' } },
  },
  plugins: [compressModules()],
  worker: { format: 'es' },
});
