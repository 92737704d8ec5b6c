// Serves with a replica, and ends at a step of it: see kill-at-step.mjs. The tests must notice what a store does that is planted: with PLANTED=delete-early
// it deletes what a moment gives up before that is committed, with PLANTED=tell-early it says that journal is written a little before it is.
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { serve } from '../../../src/service/serve.ts'
import { flagsOf } from './flags.mjs'
import { killAtStep } from './kill-at-step.mjs'

const partsOf = (moment) => moment.files.flatMap(({ parts }) => parts.map(([name]) => name))

function deletingEarly(store) {
  let last = []
  return storeWithPut(store, async (name, bytes) => {
    if (name.startsWith('moments/')) {
      const moment = JSON.parse(gunzipSync(bytes).toString().split('\n')[1])
      const named = new Set(partsOf(moment))
      for (const part of last) if (!named.has(part)) await store.delete(part)
      last = partsOf(moment)
    }
    return store.putIfAbsent(name, bytes)
  })
}

const isJournal = (name, bytes) =>
  name.startsWith('log/') && JSON.parse(Buffer.from(bytes).toString().split('\n')[1]).kind === 'journal'

function tellingEarly(store) {
  let writing = Promise.resolve()
  return storeWithPut(store, async (name, bytes) => {
    if (!isJournal(name, bytes)) return writing.then(() => store.putIfAbsent(name, bytes))
    writing = writing.then(() => sleep(50)).then(() => store.putIfAbsent(name, bytes))
    return true
  })
}

/** As `test/support/changed-store.ts`. */
function storeWithPut(store, putIfAbsent) {
  return {
    get: (name) => store.get(name),
    list: (prefix, after) => store.list(prefix, after),
    delete: (name) => store.delete(name),
    close: () => store.close(),
    putIfAbsent,
  }
}

const planted = { 'delete-early': deletingEarly, 'tell-early': tellingEarly }
const overrides = { reach: killAtStep(), wrapStore: planted[process.env.PLANTED] ?? ((store) => store) }
process.exitCode = await serve({ flags: flagsOf(process.argv), environment: process.env, overrides })
