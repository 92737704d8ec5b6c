import type { DruidClient } from '../../druid-client/druid-client.ts'
import type { DiskSize } from '../../model/disk-size.ts'
import { Management, member } from './supervision/management.ts'

const path = '/druid/coordinator/v1/datasources?simple'

/**
 * The segments of these entities that Druid's coordinator knows, in one request for any number of entities. The coordinator does not report row counts. An
 * entity whose rows are still in the tasks that read them has no segment. Throws Problem `unavailable` while Druid is unavailable.
 */
export async function segmentSizes(
  client: Pick<DruidClient, 'manage'>,
  clusterName: string,
  entityIds: readonly number[],
): Promise<ReadonlyMap<number, DiskSize>> {
  const management = new Management(client, clusterName)
  const asked = new Set(entityIds)
  const sizes = new Map<number, DiskSize>()
  for (const source of await management.list(path)) {
    const id = management.entityOf(String(member(source, 'name')))
    const segments = member(member(source, 'properties'), 'segments')
    if (id !== null && asked.has(id) && segments !== undefined) sizes.set(id, sizeOf(segments))
  }
  return sizes
}

function sizeOf(segments: unknown): DiskSize {
  return {
    files: Number(member(segments, 'count') ?? 0),
    rows: null,
    bytes: Number(member(segments, 'size') ?? 0),
    firstMs: timeOf(member(segments, 'minTime')),
    lastMs: timeOf(member(segments, 'maxTime')),
  }
}

function timeOf(text: unknown): number | null {
  const ms = Date.parse(String(text))
  return Number.isNaN(ms) ? null : ms
}
