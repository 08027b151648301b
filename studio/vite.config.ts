import { defineConfig } from 'vite';

// Plain files with relative addresses: the page may lie in any folder of any server.
export default defineConfig({
  base: './',
  build: {
    target: 'es2022',
    outDir: '../build/studio',
    emptyOutDir: true,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { input: { studio: 'index.html', bench: 'bench.html' } },
  },
  worker: { format: 'es' },
});
