import Type from 'typebox'
import { RejectedPageAnswer } from '../../admin/rejected-schemas.ts'

export const rejectedFilters = {
  batch: Type.Optional(Type.String({ description: 'The rows of this push alone.' })),
  /** One of the codes that the rows themselves have. */
  code: Type.Optional(RejectedPageAnswer.properties.Items.items.properties.code),
  field: Type.Optional(Type.String({ description: 'The rows alone in which this pushed property is at fault.' })),
}

export const pageDescription =
  'A page of rejected rows, in the order in which they were accepted. Where faults are of very many kinds a page may be empty although more follow: ' +
  'the last one has no `NextToken`.'
