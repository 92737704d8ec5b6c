import type { Finding } from '../lib/finding.ts'
import { type ChosenMoment, chooseMoment, instantOf } from './choose-moment.ts'
import { type MissingParts, missingObjects } from './missing-objects.ts'
import { eachPart } from './read-parts.ts'
import { ReplicaDamaged } from './replica-format.ts'

/** The most missing names that a report lists. */
const namesMax = 20

/** Reports the state that a restore would give. Throws an Error when there is no replica, `StoreRefused`, and other failures of the store. */
export async function* verifyReplica(parts: MissingParts): AsyncGenerator<Finding> {
  let chosen: ChosenMoment | null = null
  yield await examineObjects('journal', async () => {
    let bytes = 0
    const journal = {
      begin: async () => {
        bytes = 0
      },
      take: async (_segment: number, _offset: number, part: Uint8Array) => {
        bytes += part.length
      },
    }
    chosen = await chooseMoment({ ...parts, journal }, null)
    return `${bytes} bytes, from position ${chosen.moment.sealedPosition} to ${chosen.cut[1]}`
  })
  if (chosen === null) return
  const { moment, cut, firstMs, last, newest } = chosen as ChosenMoment
  let isDamaged = false
  yield await examineObjects('earlier moments', async () => {
    const missing = await missingObjects(parts, newest, last.number + 1)
    if (missing.length === 0) return `all objects of ${newest.moments.length + 1} moments are there`
    const more = missing.length > namesMax ? ` and ${missing.length - namesMax} more` : ''
    throw new ReplicaDamaged(`the replica lacks ${missing.slice(0, namesMax).join(', ')}${more}`)
  })
  for (const file of moment.files) {
    const finding = await examineObjects(file.path, async () => {
      await eachPart(parts, file, async () => undefined)
      return `${file.bytes} bytes in ${file.parts.length === 1 ? '1 piece' : `${file.parts.length} pieces`}`
    })
    isDamaged ||= finding.isDamaged
    yield finding
  }
  if (isDamaged) return
  const found = `up to position ${cut[1]}, on disk at ${instantOf(cut[0])}; --at goes back to ${instantOf(firstMs)}; the replica was last written at ${instantOf(last.timeMs)}`
  yield { part: 'a restore would give the state', isDamaged: false, found }
}

/** Only damage becomes a finding. Other errors are thrown: a store that does not respond says nothing about its content. */
async function examineObjects(part: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { part, isDamaged: false, found: await check() }
  } catch (error) {
    if (!(error instanceof ReplicaDamaged)) throw error
    return { part, isDamaged: true, found: error.message }
  }
}
