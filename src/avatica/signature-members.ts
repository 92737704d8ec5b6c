// The members of a signature's columns and parameters, shared by JSON and protobuf, named as in Avatica's `common.proto`.
// Tested by `src/avatica/protobuf/protobuf-codec.test.ts`.
import type { AvaticaColumn } from './avatica-protocol.ts'

/** `OTHER` of `java.sql.Types`: the type of a parameter is known only when it is bound. */
const anyTypeId = 1111

/** A column without its type, which the encodings represent differently. */
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

/** Descriptions of `count` parameters. */
export function parameterMembers(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    parameterType: anyTypeId,
    typeName: 'OTHER',
    className: 'java.lang.Object',
    name: `?${index + 1}`,
  }))
}
