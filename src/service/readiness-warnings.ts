import type { Readiness } from '../http/readiness.ts'
import { formatInstant } from '../model/instant.ts'
import type { FailingWork } from '../observe/failing-work.ts'
import type { ServiceParts } from './build-services.ts'

/** Troubles of either engine that `/readyz` reports, but that are not a reason to send no traffic yet. */
export function readinessWarnings(
  { quarantineCount, disk }: ServiceParts['limits'],
  failing: FailingWork,
): Pick<Readiness, 'quarantine' | 'disk' | 'failing'> {
  return {
    quarantine: { entries: quarantineCount.entries, rows: quarantineCount.rows },
    disk: disk.state,
    failing: failing.list().map(({ work, sinceMs, failures }) => ({ work, since: formatInstant(sinceMs), failures })),
  }
}
