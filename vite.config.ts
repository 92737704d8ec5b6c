// The service's files in dist. Each entry loads a few: a start that opens two thousand takes more than twice the processor's time.
import { readdirSync } from 'node:fs'
import { defineConfig } from 'vite'

const service = {
  main: 'src/main.ts',
  'store-thread/worker-side/entry': 'src/store-thread/worker-side/entry.ts',
  'sql-process/worker-side/entry': 'src/sql-process/worker-side/entry.ts',
}

const client = {
  'client/tidemark': 'src/client/tidemark.ts',
  'mqtt/push-messages': 'src/mqtt/push-messages.ts',
}

/** Programs with a planted bug, and what they start beside themselves: each under the name of its suite. */
const planted = () =>
  Object.fromEntries(
    ['crash', 'tools', 'cluster'].flatMap((suite) =>
      readdirSync(`test/${suite}/planted`).map((file) => [
        `planted/${suite}/${file.replace(/\.mjs$/, '')}`,
        `test/${suite}/planted/${file}`,
      ]),
    ),
  )

const modes = {
  service: { input: () => service, outDir: 'dist', chunks: 'chunks', emptyOutDir: true },
  // It shares no file with the service, so that a program that imports it loads nothing else.
  client: { input: () => client, outDir: 'dist', chunks: 'client', emptyOutDir: false },
  planted: { input: () => ({ ...service, ...planted() }), outDir: 'build/tested', chunks: 'chunks', emptyOutDir: true },
}

export default defineConfig(({ mode }) => {
  const { input, outDir, chunks, emptyOutDir } = modes[mode as keyof typeof modes] ?? modes.service
  return {
    root: import.meta.dirname,
    publicDir: false,
    // Packages of hundreds of files each. The others stay as they are.
    ssr: { noExternal: ['typebox', 'kysely', /^@bufbuild\//, '@fastify/type-provider-typebox'] },
    build: {
      ssr: true,
      target: 'node20',
      outDir,
      emptyOutDir,
      reportCompressedSize: false,
      // What is built in keeps its licences beside it.
      license: { fileName: `${chunks}/licenses.md` },
      rolldownOptions: {
        input: input(),
        output: {
          entryFileNames: ({ name }) => (name.startsWith('planted/') ? '[name].mjs' : '[name].js'),
          // One folder deep: the service names the files of its threads from there.
          chunkFileNames: `${chunks}/[name].js`,
        },
      },
    },
  }
})
