import type { RejectedRow } from '../catalog/rejected.ts'
import { foreseenFaults } from '../file-push/foreseen-fault.ts'
import type { Ingest } from '../model/ingest.ts'
import type { RowFault } from '../model/row-fault.ts'

/** A longer row is not looked at again. */
const rowBytesMax = 64 * 1024
/** Of so many faults a row is not mended one by one. */
const faultsMax = 20

type Rejected = Pick<RejectedRow, 'row' | 'field' | 'code' | 'lineFormat'>

/**
 * What is wrong with a row beside the fault that the validator rejected it for, which it ends at: who mends rows would meet one after the other. Of lines
 * of line protocol it is not known.
 */
export function furtherFaults(rejected: Rejected, { fields, unknown }: Pick<Ingest, 'fields' | 'unknown'>): RowFault[] {
  const { row, field, lineFormat } = rejected
  if (field === null || lineFormat !== undefined || row.length > rowBytesMax) return []
  const faults: RowFault[] = []
  for (const fault of faultsOfRow(row, { fields, unknown })) {
    if (fault.field !== field) faults.push(fault)
    if (faults.length === faultsMax) break
  }
  return faults
}

/** All that is wrong with a row that is JSON, one after the other; what names bring fields to an open ingest the validator alone knows. */
export const faultsOfRow = (
  row: string,
  { fields, unknown }: Pick<Ingest, 'fields' | 'unknown'>,
): Generator<RowFault> => foreseenFaults(row, fields, unknown === 'add')
