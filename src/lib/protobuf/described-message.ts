// Tested by `src/mqtt/sparkplug/sparkplug-payload.test.ts`.
// Descriptions of protobuf messages in code, without .proto files.

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
  /** The name of its value in the decoded message. */
  readonly name: string
  readonly kind: ScalarKind | Message | 'map'
  readonly isRepeated?: true
}

/** Fields by field number. */
export type Message = ReadonlyMap<number, MessageField>

type FieldEntry = readonly [number: number, name: string, kind: MessageField['kind'], repeated?: 'repeated']

/** Describes a message with these fields. Decoding skips other fields. */
export function message(...fields: readonly FieldEntry[]): Message {
  return new Map(
    fields.map(([number, name, kind, repeated]) => [
      number,
      repeated === undefined ? { name, kind } : { name, kind, isRepeated: true },
    ]),
  )
}
