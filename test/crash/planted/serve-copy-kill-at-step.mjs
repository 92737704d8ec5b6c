// Serves with a copy elsewhere, and ends at a step of it: see kill-at-step.mjs. With DELETE_EARLY=1 the store deletes what a moment gives up before it is
// committed: the tests must notice.
import { gunzipSync } from 'node:zlib'
import { serve } from '../../../dist/service/serve.js'
import { flagsOf } from './flags.mjs'
import { killAtStep } from './kill-at-step.mjs'

const partsOf = (moment) => moment.files.flatMap(({ parts }) => parts.map(([name]) => name))

function deletingEarly(store) {
  let last = []
  return {
    get: (name) => store.get(name),
    list: (prefix, after) => store.list(prefix, after),
    delete: (name) => store.delete(name),
    close: () => store.close(),
    async putIfAbsent(name, bytes) {
      if (name.startsWith('moments/')) {
        const moment = JSON.parse(gunzipSync(bytes).toString().split('\n')[1])
        const named = new Set(partsOf(moment))
        for (const part of last) if (!named.has(part)) await store.delete(part)
        last = partsOf(moment)
      }
      return store.putIfAbsent(name, bytes)
    },
  }
}

const wrapStore = process.env.DELETE_EARLY === '1' ? deletingEarly : (store) => store
const overrides = { reach: killAtStep(), wrapStore }
process.exitCode = await serve({ flags: flagsOf(process.argv), environment: process.env, overrides })
