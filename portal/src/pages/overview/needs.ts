// Problems that need attention, with links to where they can be solved.
import type { IngestAnswer, ReadinessAnswer } from '../../../../src/client/answers.ts'
import { ServiceError } from '../../../../src/client/service-error.ts'
import { msPerDay } from '../../../../src/model/instant.ts'
import { bytesText, durationText, plural } from '../../parts/formats.ts'
import { linkTo } from '../../shell/link.ts'
import type { PlantState } from './plant-state.ts'

export interface Need {
  readonly level: 'bad' | 'warn'
  readonly text: string
  readonly link: string | null
}

/** An ingest with the number of rejected rows that need repair. */
export interface Rejecting {
  readonly ingest: IngestAnswer
  readonly rows: number
}

interface Known {
  readonly nowMs: number
  readonly ready: ReadinessAnswer | null
  readonly readyError: unknown
  readonly plant: PlantState | null
  readonly ingests: readonly Rejecting[]
  /** Time of the newest backup; null if there is none. */
  readonly backupMs: number | null
}

const namedMax = 3
/** An operator who has made a backup is expected to want at least one per week. */
const backupMsMax = 8 * msPerDay
/** The most tags drawn by a link. */
const drawnMax = 20

export function needsOf(known: Known): Need[] {
  return [...partNeeds(known), ...ingestNeeds(known), ...tagNeeds(known)]
}

function partNeeds({ nowMs, ready, readyError, backupMs }: Known): Need[] {
  const { disk, replica, quarantine, failing = [], tls, cluster } = ready ?? {}
  const operate = linkTo(['operate'])
  const need = (level: Need['level'], text: string, link: string | null = operate): Need => ({ level, text, link })
  const unreachable = (['kafka', 'druid', 'postgres'] as const).filter((part) => cluster?.[part].reachable === false)
  return [
    ...(readyError instanceof ServiceError ? [need('bad', readyError.detail)] : []),
    ...unreachable.map((part) => need('bad', `The cluster does not reach ${part}`)),
    ...failing.map((one) => {
      const [name, failures] = typeof one === 'string' ? [one, ''] : [one.work, `, ${plural(one.failures, 'time')}`]
      return need('bad', `Background work fails and is retried: ${name}${failures}`)
    }),
    ...(disk?.filling === true
      ? [
          need(
            'bad',
            `The disk is filling up${disk.freeBytes === null ? '' : `: ${bytesText(disk.freeBytes)} are free`}`,
          ),
        ]
      : []),
    ...((quarantine?.entries ?? 0) > 0
      ? [need('bad', `${plural(quarantine!.entries, 'push', 'pushes')} in quarantine`, linkTo(['ingests']))]
      : []),
    ...(replica?.error != null ? [need('bad', `The replica cannot be written: ${replica.error}`)] : []),
    ...(tls?.refused != null ? [need('warn', `The new certificate is not used: ${tls.refused}`)] : []),
    ...(backupMs !== null && nowMs - backupMs > backupMsMax && replica === undefined
      ? [need('warn', `The newest backup is ${durationText((nowMs - backupMs) / 1000)} old`)]
      : []),
  ]
}

function ingestNeeds({ ingests }: Known): Need[] {
  const blocked = ingests.filter(({ ingest }) => ingest.state === 'blocked')
  const rejecting = ingests.filter(({ rows }) => rows > 0).toSorted((a, b) => b.rows - a.rows)
  return [
    ...blocked.map(({ ingest: { alias, reason } }): Need => {
      const why = reason === null || reason === '' ? '' : `: ${reason}`
      return { level: 'bad', text: `The ingest ${alias} is blocked${why}`, link: linkTo(['ingests', alias]) }
    }),
    ...rejecting.map(({ ingest: { alias }, rows }): Need => {
      return {
        level: 'warn',
        text: `${plural(rows, 'rejected row')} of ${alias} to mend`,
        link: linkTo(['ingests', alias]),
      }
    }),
  ]
}

function tagNeeds({ plant, nowMs }: Known): Need[] {
  return (plant?.entities ?? []).flatMap(({ entity: { entity }, tags }): Need[] => {
    const silent = tags.filter((tag) => tag.silent)
    if (silent.length === 0) return []
    const named = silent
      .slice(0, namedMax)
      .map(({ tag, newestMs }) => `${tag} for ${durationText((nowMs - newestMs) / 1000)}`)
    const more = silent.length > namedMax ? `, and ${silent.length - namedMax} more` : ''
    const link = linkTo(['explore'], { entity, tag: silent.slice(0, drawnMax).map(({ tag }) => tag), range: 'P1D' })
    const text = `${plural(silent.length, 'tag')} of ${entity} ${silent.length === 1 ? 'is' : 'are'} silent: ${named.join(', ')}${more}`
    return [{ level: 'warn', text, link }]
  })
}
