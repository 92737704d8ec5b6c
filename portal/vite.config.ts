// The portal's files: the page, and scripts and styles under names that change with what is in them.
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: '../dist/portal',
    emptyOutDir: true,
    target: ['chrome111', 'firefox114', 'safari16.4'],
    // The page's policy lets no data: address be loaded but pictures.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
    // What is built in keeps its licences beside it.
    license: { fileName: 'licenses.md' },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  experimental: {
    // The page is at .../portal, without a slash at its end: what it names is beside it. A proxy may serve all of it under another path.
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `portal/${file}` : { relative: true }),
  },
})
