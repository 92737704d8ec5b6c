// Tested by `src/mqtt/sparkplug/sparkplug-payload.test.ts`.
// Messages of protobuf by our own description of them.

export type ScalarKind =
  | 'string'
  | 'bytes'
  | 'bool'
  | 'double'
  | 'float'
  | 'uint32'
  | 'int32'
  | 'uint64'
  | 'int64'
  | 'sint64'

export interface MessageField {
  /** What its value is called where it is read. */
  readonly name: string
  readonly kind: ScalarKind | Message | 'map'
  readonly isRepeated?: true
}

/** By their numbers. */
export type Message = ReadonlyMap<number, MessageField>

type FieldEntry = readonly [number: number, name: string, kind: MessageField['kind'], repeated?: 'repeated']

/** A message of these fields. One that is not named is passed over where it is read. */
export function message(...fields: readonly FieldEntry[]): Message {
  return new Map(
    fields.map(([number, name, kind, repeated]) => [
      number,
      repeated === undefined ? { name, kind } : { name, kind, isRepeated: true },
    ]),
  )
}
