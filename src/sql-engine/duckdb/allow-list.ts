// The SQL that the engine may run, checked on the parse tree of the parser that executes it. The text was written by our own code, so this is the
// second line of defence: whatever is not listed here is rejected, be it new in a later version of the engine or missed by the first check.

const nodes: ReadonlySet<string> = new Set([
  ...[
    'SELECT_NODE',
    'SET_OPERATION_NODE',
    'CTE_NODE',
    'ORDER_MODIFIER',
    'LIMIT_MODIFIER',
    'DISTINCT_MODIFIER',
    'ASCENDING',
    'DESCENDING',
  ],
  ...['BASE_TABLE', 'SUBQUERY', 'JOIN', 'EMPTY', 'TABLE_FUNCTION', 'EXPRESSION_LIST', 'COLUMN_DATA'],
  ...['VALUE_CONSTANT', 'COLUMN_REF', 'FUNCTION', 'OPERATOR_CAST', 'CASE_EXPR', 'LAMBDA', 'STAR', 'COLLATE'],
  ...['COMPARE_EQUAL', 'COMPARE_NOTEQUAL', 'COMPARE_LESSTHAN', 'COMPARE_GREATERTHAN', 'COMPARE_LESSTHANOREQUALTO'],
  ...['COMPARE_GREATERTHANOREQUALTO', 'COMPARE_BETWEEN', 'COMPARE_IN', 'COMPARE_NOT_IN', 'COMPARE_DISTINCT_FROM'],
  ...['COMPARE_NOT_DISTINCT_FROM', 'CONJUNCTION_AND', 'CONJUNCTION_OR', 'OPERATOR_NOT', 'OPERATOR_IS_NULL'],
  ...['OPERATOR_IS_NOT_NULL', 'OPERATOR_COALESCE', 'OPERATOR_NULLIF', 'OPERATOR_TRY', 'GROUPING_FUNCTION'],
  ...['ARRAY_EXTRACT', 'ARRAY_SLICE', 'ARRAY_CONSTRUCTOR'],
  ...[
    'WINDOW_AGGREGATE',
    'WINDOW_RANK',
    'WINDOW_RANK_DENSE',
    'WINDOW_NTILE',
    'WINDOW_PERCENT_RANK',
    'WINDOW_CUME_DIST',
  ],
  ...['WINDOW_ROW_NUMBER', 'WINDOW_FIRST_VALUE', 'WINDOW_LAST_VALUE', 'WINDOW_LEAD', 'WINDOW_LAG'],
])

const functionNames = `
  + - * / // % & | >> || ~~ !~~ like_escape not_like_escape xor
  abs acos add day dayofyear hour isodow isoyear millisecond minute month quarter second week year arg_max_null arg_min_null array_to_string asin atan atan2 any_value avg bit_and bit_or bit_xor cbrt ceil chr contains cos cosh count
  count_star cume_dist date_part date_sub date_trunc decode degrees dense_rank epoch_ms epoch_us error exp first_value flatten floor from_base64 greatest isfinite isinf
  grouping isnan json_extract json_extract_string json_keys json_merge_patch json_object json_type lag last_value lead least left len length
  list list_append list_concat list_contains list_distinct list_filter list_has_all list_has_any list_intersect list_position list_prepend list_reduce list_reverse list_sort list_count list_sum list_resize
  list_transform list_value ln log10 lower lpad ltrim make_timestamp make_timestamp_ms make_timestamptz max min multiply now ntile nullif percent_rank pi power printf quantile_disc radians range rank
  regexp_escape regexp_extract regexp_extract_all regexp_full_match regexp_matches regexp_replace repeat replace reverse right round row row_number rpad rtrim sign sin sinh split_part
  sqrt stddev_pop stddev_samp strftime string_agg string_split string_split_regex strlen strpos substring subtract sum tan tanh text_out text_room time_bucket to_days to_json
  to_milliseconds to_months trim trunc try_strptime unnest upper var_pop var_samp
  bucket_next bucket_start zone_instant zone_offset zone_start`

const functions: ReadonlySet<string> = new Set(functionNames.trim().split(/\s+/))
const tableFunctions: ReadonlySet<string> = new Set(['unnest'])

type Tree = { readonly [key: string]: unknown }

/** Throws an Error if a tree contains anything but reads of `tables`. `tree` is the result of `json_serialize_sql` for a statement. */
export function checkTree(tree: unknown, tables: ReadonlySet<string>): void {
  if (!isTree(tree) || tree['error'] !== false) throw refused('a text that does not parse')
  const statements = tree['statements']
  if (!Array.isArray(statements) || statements.length !== 1) throw refused('more than one statement')
  visit(tree, tables)
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function refused(what: string): Error {
  return new Error(`SQL that was written for the engine holds ${what}`)
}

/** Visits the whole tree with an explicit stack, since the caller of the service determines its depth. */
function visit(root: Tree, tables: ReadonlySet<string>): void {
  const names = new Set([...tables, ...commonTables(root)])
  for (const node of nodesOf(root)) checkNode(node, names)
}

function* nodesOf(root: Tree): Generator<Tree> {
  const stack: unknown[] = [root]
  while (stack.length > 0) {
    const value = stack.pop()
    if (Array.isArray(value)) for (const item of value) stack.push(item)
    if (!isTree(value)) continue
    yield value
    // Constants and the types of casts are data, not syntax.
    if (value['type'] === 'VALUE_CONSTANT') continue
    for (const [key, child] of Object.entries(value)) if (key !== 'cast_type') stack.push(child)
  }
}

function commonTables(root: Tree): Set<string> {
  const names = new Set<string>()
  for (const { cte_map: map } of nodesOf(root)) {
    if (!isTree(map) || !Array.isArray(map['map'])) continue
    for (const entry of map['map']) if (isTree(entry)) names.add(String(entry['key']))
  }
  return names
}

function checkNode(node: Tree, tables: ReadonlySet<string>): void {
  const { type } = node
  if (typeof type === 'string' && !nodes.has(type)) throw refused(`a node ${type}`)
  if (
    type === 'BASE_TABLE' &&
    (!tables.has(String(node['table_name'])) || node['schema_name'] !== '' || node['catalog_name'] !== '')
  ) {
    throw refused(`the table ${String(node['table_name'])}`)
  }
  if (
    type === 'TABLE_FUNCTION' &&
    !(isTree(node['function']) && tableFunctions.has(String(node['function']['function_name'])))
  ) {
    throw refused('a table function')
  }
  if ('function_name' in node && !functions.has(String(node['function_name'])))
    throw refused(`the function ${String(node['function_name'])}`)
}
