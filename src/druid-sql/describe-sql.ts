// Describes a query without running it: its columns, and the number of its parameters.

import type { Reader } from '../admission/reader.ts'
import type { Definitions } from '../catalog/definitions.ts'
import { Problem } from '../model/problem.ts'
import { explainedQuery, explanationColumns } from './explain/explanation.ts'
import type { SqlValue } from './parse/sql-value.ts'
import { tokenize } from './parse/tokenizer.ts'
import { readableTables } from './readable-tables.ts'
import type { SqlQuery } from './sql-query.ts'
import { translateSql } from './translate.ts'

export interface DescribedSql {
  readonly columns: readonly { readonly name: string; readonly sqlType: string }[]
  /** The number of `?` in the text. */
  readonly parameters: number
}

/**
 * Describes a query over the tables that the reader may read. If its parameters have no values yet, the columns are determined with nulls in their places,
 * or else with ones; there are none if both fail (for a period as a parameter, say). Throws Problem `invalid_request`.
 */
export function describeSql(
  question: SqlQuery,
  definitions: Pick<Definitions, 'entities' | 'metadataEntities'>,
  limits: { readonly sqlTokens: number },
  reader: Reader,
): DescribedSql {
  const explained = question.explains ? explainedQuery(question.text, limits.sqlTokens) : null
  if (explained === null) return describeQuery(question, definitions, limits, reader)
  const { parameters } = describeQuery({ ...question, text: explained }, definitions, limits, reader)
  return { columns: explanationColumns, parameters }
}

function describeQuery(
  { text, parameters, zone }: SqlQuery,
  definitions: Pick<Definitions, 'entities' | 'metadataEntities'>,
  { sqlTokens: tokensMax }: { readonly sqlTokens: number },
  reader: Reader,
): DescribedSql {
  const { tables } = readableTables(definitions, reader)
  const asked = tokenize(text, tokensMax).filter(({ kind, text: symbol }) => kind === 'symbol' && symbol === '?').length
  const columnsWith = (values: readonly SqlValue[]): DescribedSql['columns'] =>
    translateSql(text, tables, { tokensMax, parameters: values, zone }).columns.map(({ name, druid }) => ({
      name,
      sqlType: druid.sqlType,
    }))
  if (asked === 0 || parameters !== undefined) return { columns: columnsWith(parameters ?? []), parameters: asked }
  for (const stand of placeholderValues) {
    try {
      return { columns: columnsWith(Array.from({ length: asked }, () => stand)), parameters: asked }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
    }
  }
  return { columns: [], parameters: asked }
}

const placeholderValues: readonly SqlValue[] = [{ kind: 'null' }, { kind: 'number', digits: '1' }]
