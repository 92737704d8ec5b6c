// What a signature says of its columns and parameters, in JSON and in protobuf alike, by the names of Avatica's `common.proto`.
// Tested by `src/avatica/protobuf/protobuf-codec.test.ts`.
import type { AvaticaColumn } from './avatica-protocol.ts'

/** `OTHER` of `java.sql.Types`: what a parameter is, is said when it is bound. */
const anyTypeId = 1111

/** A column without its type, whose form depends on the encoding. */
export function columnMembers({ ordinal, name, className, isSigned, precision, displaySize }: AvaticaColumn) {
  return {
    ordinal,
    caseSensitive: true,
    searchable: true,
    nullable: 1,
    signed: isSigned,
    displaySize,
    label: name,
    columnName: name,
    schemaName: '',
    precision,
    scale: 0,
    tableName: '',
    catalogName: '',
    readOnly: true,
    columnClassName: className,
  }
}

/** The parameters of a statement that has so many. */
export function parameterMembers(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    parameterType: anyTypeId,
    typeName: 'OTHER',
    className: 'java.lang.Object',
    name: `?${index + 1}`,
  }))
}
