import type { RejectedRow } from '../catalog/rejected.ts'
import { foreseenFaults } from '../file-push/foreseen-fault.ts'
import type { Ingest } from '../model/ingest.ts'
import type { RowFault } from '../model/row-fault.ts'

/** Longer rows are not checked again. */
const rowBytesMax = 64 * 1024
/** The most further faults reported for a row; a row with more is not corrected fault by fault. */
const faultsMax = 20

type Rejected = Pick<RejectedRow, 'row' | 'field' | 'code' | 'lineFormat'>

/**
 * The faults of a row in addition to the one that it was rejected for. Validation stops at the first fault, so a client would otherwise find them one
 * by one. Empty for lines of line protocol.
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

/** All faults of a JSON row, in order. Only the validator knows which names bring fields to an open ingest. */
export const faultsOfRow = (
  row: string,
  { fields, unknown }: Pick<Ingest, 'fields' | 'unknown'>,
): Generator<RowFault> => foreseenFaults(row, fields, unknown === 'add')
