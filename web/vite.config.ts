import { defineConfig } from 'vite'
import { viteSingleFile } from 'vite-plugin-singlefile'

// One file with everything in it: the server hands it out, and the same file shows records offline.
export default defineConfig({
  plugins: [viteSingleFile()],
  build: {
    outDir: '../src/abut/app/play/page',
    emptyOutDir: true,
    target: 'es2022',
    license: { fileName: 'licenses.md' },
    modulePreload: { polyfill: false },
  },
})
