import { examine, type Finding } from '../lib/finding.ts'
import type { ObjectStore } from '../object-store/object-store.ts'
import { type ChosenMoment, chooseMoment, instantOf } from './choose-moment.ts'
import type { StoreAttempt } from './copy-log.ts'
import { eachPart } from './read-parts.ts'

/** Reads what a restore would read, and says what it would give. Throws an Error when there is no copy. */
export async function* verifyCopy(store: ObjectStore, attempt: StoreAttempt): AsyncGenerator<Finding> {
  let chosen: ChosenMoment | null = null
  let bytes = 0
  yield await examine('journal', async () => {
    const journal = {
      begin: async () => {
        bytes = 0
      },
      take: async (_segment: number, _offset: number, part: Uint8Array) => {
        bytes += part.length
      },
    }
    const found = await chooseMoment({ store, attempt, journal }, null)
    chosen = found
    return `${bytes} bytes, from position ${found.moment.sealedPosition} to ${found.cut[1]}`
  })
  if (chosen === null) return
  const { moment, cut, firstMs, last } = chosen as ChosenMoment
  for (const file of moment.files) {
    yield await examine(file.path, async () => {
      await eachPart({ store, attempt }, file, async () => undefined)
      return `${file.bytes} bytes in ${file.parts.length} pieces`
    })
  }
  const found = `up to position ${cut[1]}, on disk at ${instantOf(cut[0])}; --at goes back to ${instantOf(firstMs)}; the copy was last written at ${instantOf(last.timeMs)}`
  yield { part: 'a restore would give the state', isDamaged: false, found }
}
