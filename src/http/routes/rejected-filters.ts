import Type from 'typebox'
import { RejectedPageAnswer } from '../../admin/rejected-schemas.ts'

export const rejectedFilters = {
  batch: Type.Optional(Type.String({ description: 'Only rows of this push.' })),
  /** One of the codes that the rows themselves have. */
  code: Type.Optional(RejectedPageAnswer.properties.Items.items.properties.code),
  field: Type.Optional(Type.String({ description: 'Only rows in which this pushed property is at fault.' })),
}

export const pageDescription =
  'A page of rejected rows, in the order in which they were accepted. With very many kinds of faults a page may be empty although more follow: only the last page has no `NextToken`.'
