import Type, { type Static } from 'typebox'
import { fieldTypes, metadataRoles } from '../model/field.ts'

const closed = { additionalProperties: false }

/** The most names or identifiers in a request. */
const idsMax = 10_000

export const DescriptionsRequest = Type.Object(
  {
    entities: Type.Optional(
      Type.Unsafe<readonly string[] | null>({
        type: ['array', 'null'],
        items: { type: 'string' },
        maxItems: idsMax,
        description: 'Names of metadata entities. `[]`, the default, means all.',
        examples: [['tags']],
      }),
    ),
  },
  { ...closed, description: 'The metadata entities to describe.' },
)
export type DescriptionsRequest = Static<typeof DescriptionsRequest>

export const Description = Type.Object({
  entity: Type.String(),
  type: Type.Literal('metadata'),
  index_field: Type.String({ description: 'The field that identifies and filters items.' }),
  fields: Type.Array(
    Type.Object({ name: Type.String(), type: Type.Enum([...fieldTypes]), role: Type.Enum([...metadataRoles]) }),
  ),
  items: Type.Integer({ minimum: 0, description: 'How many items it holds.' }),
})
export type Description = Static<typeof Description>
export const DescriptionsAnswer = Type.Array(Description)

export const ItemsByIdRequest = Type.Object(
  {
    itemsId: Type.Array(Type.String(), {
      maxItems: idsMax,
      description: "Identifiers, each in any form of the index field's type.",
      examples: [['boiler.temp']],
    }),
  },
  { ...closed, description: 'The items to return.' },
)
export type ItemsByIdRequest = Static<typeof ItemsByIdRequest>

const Item = Type.Object(
  {},
  {
    additionalProperties: true,
    description: "An item under the entity's own field names. A field that was not pushed is null.",
  },
)
export const ItemsAnswer = Type.Array(Item)
export const ItemPageAnswer = Type.Object({
  Items: Type.Array(Item),
  NextToken: Type.Union([Type.String(), Type.Null()], {
    description: 'Send it as the query parameter `NextToken` to get the next page. It is null on the last page.',
  }),
})
