import { defaultSeriesFields } from '../../src/model/field.ts'
import type { Ingest } from '../../src/model/ingest.ts'

/** An ingest of rows with the default fields. */
export const plantIngest: Ingest = {
  id: 1,
  alias: 'plant',
  kind: 'series',
  entity: 'plant',
  entityId: 1,
  fields: defaultSeriesFields,
  fieldsVersion: 1,
  duplicates: 'keep',
  state: 'active',
  reason: null,
  createdMs: 0,
}
