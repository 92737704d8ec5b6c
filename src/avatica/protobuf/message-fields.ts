// Descriptions of Avatica's protobuf messages that this service reads and writes. Fields and numbers are those of Apache Calcite
// Avatica 1.26 (`common.proto`, `requests.proto` and `responses.proto` under `core/src/main/protobuf`), Apache License 2.0.
// Unused fields are omitted; decoding skips them.

import { type Message, message } from '../../lib/protobuf/described-message.ts'

/** Enums are encoded as their number. */
const enumeration = 'uint32'

export const WireMessage = message([1, 'name', 'string'], [2, 'wrapped', 'bytes'])

const ConnectionPropertiesMessage = message(
  [2, 'autoCommit', 'bool'],
  [7, 'hasAutoCommit', 'bool'],
  [3, 'readOnly', 'bool'],
  [8, 'hasReadOnly', 'bool'],
  [4, 'transactionIsolation', 'uint32'],
  [5, 'catalog', 'string'],
  [6, 'schema', 'string'],
)

const TypedValueMessage = message(
  [1, 'rep', enumeration],
  [2, 'bool', 'bool'],
  [3, 'string', 'string'],
  [4, 'number', 'sint64'],
  [5, 'bytes', 'bytes'],
  [6, 'double', 'double'],
  [7, 'null', 'bool'],
  [10, 'implicitlyNull', 'bool'],
)

const AvaticaTypeMessage = message([1, 'id', 'int32'], [2, 'name', 'string'], [3, 'rep', enumeration])

const ColumnMessage = message(
  [1, 'ordinal', 'uint32'],
  [3, 'caseSensitive', 'bool'],
  [4, 'searchable', 'bool'],
  [6, 'nullable', 'uint32'],
  [7, 'signed', 'bool'],
  [8, 'displaySize', 'uint32'],
  [9, 'label', 'string'],
  [10, 'columnName', 'string'],
  [11, 'schemaName', 'string'],
  [12, 'precision', 'uint32'],
  [13, 'scale', 'uint32'],
  [14, 'tableName', 'string'],
  [15, 'catalogName', 'string'],
  [16, 'readOnly', 'bool'],
  [19, 'columnClassName', 'string'],
  [20, 'type', AvaticaTypeMessage],
)

const ParameterMessage = message(
  [4, 'parameterType', 'uint32'],
  [5, 'typeName', 'string'],
  [6, 'className', 'string'],
  [7, 'name', 'string'],
)

const SignatureMessage = message(
  [1, 'columns', ColumnMessage, 'repeated'],
  [2, 'sql', 'string'],
  [3, 'parameters', ParameterMessage, 'repeated'],
  [4, 'cursorFactory', message([1, 'style', enumeration])],
  [5, 'statementType', enumeration],
)

const StatementHandleMessage = message(
  [1, 'connectionId', 'string'],
  [2, 'id', 'uint32'],
  [3, 'signature', SignatureMessage],
)

/** Its rows are encoded by hand (`rowMessages` of the codec), because there may be thousands. */
const FrameMessage = message([1, 'offset', 'uint64'], [2, 'done', 'bool'], [3, 'rows', 'bytes', 'repeated'])

const ResultSetMessage = message(
  [1, 'connectionId', 'string'],
  [2, 'statementId', 'uint32'],
  [3, 'ownStatement', 'bool'],
  [4, 'signature', SignatureMessage],
  [5, 'firstFrame', FrameMessage],
  [6, 'updateCount', 'uint64'],
)

const ofConnection = message([1, 'connectionId', 'string'])
const ofStatement = message([1, 'connectionId', 'string'], [2, 'statementId', 'uint32'])

/** By JSON request name: the name on the wire, and the message. */
export const requestMessages: ReadonlyMap<string, { readonly request: string; readonly message: Message }> = new Map(
  (
    [
      ['CatalogsRequest', 'getCatalogs', ofConnection],
      ['DatabasePropertyRequest', 'databaseProperties', ofConnection],
      [
        'SchemasRequest',
        'getSchemas',
        message(
          [1, 'catalog', 'string'],
          [2, 'schemaPattern', 'string'],
          [3, 'connectionId', 'string'],
          [4, 'hasCatalog', 'bool'],
          [5, 'hasSchemaPattern', 'bool'],
        ),
      ],
      [
        'TablesRequest',
        'getTables',
        message(
          [1, 'catalog', 'string'],
          [2, 'schemaPattern', 'string'],
          [3, 'tableNamePattern', 'string'],
          [4, 'typeList', 'string', 'repeated'],
          [6, 'hasTypeList', 'bool'],
          [7, 'connectionId', 'string'],
          [8, 'hasCatalog', 'bool'],
          [9, 'hasSchemaPattern', 'bool'],
          [10, 'hasTableNamePattern', 'bool'],
        ),
      ],
      ['TableTypesRequest', 'getTableTypes', ofConnection],
      [
        'ColumnsRequest',
        'getColumns',
        message(
          [1, 'catalog', 'string'],
          [2, 'schemaPattern', 'string'],
          [3, 'tableNamePattern', 'string'],
          [4, 'columnNamePattern', 'string'],
          [5, 'connectionId', 'string'],
          [6, 'hasCatalog', 'bool'],
          [7, 'hasSchemaPattern', 'bool'],
          [8, 'hasTableNamePattern', 'bool'],
          [9, 'hasColumnNamePattern', 'bool'],
        ),
      ],
      ['TypeInfoRequest', 'getTypeInfo', ofConnection],
      [
        'PrepareAndExecuteRequest',
        'prepareAndExecute',
        message(
          [1, 'connectionId', 'string'],
          [2, 'sql', 'string'],
          [3, 'maxRowCount', 'uint64'],
          [4, 'statementId', 'uint32'],
          [5, 'maxRowsTotal', 'int64'],
          [6, 'maxRowsInFirstFrame', 'int32'],
        ),
      ],
      [
        'PrepareRequest',
        'prepare',
        message(
          [1, 'connectionId', 'string'],
          [2, 'sql', 'string'],
          [3, 'maxRowCount', 'uint64'],
          [4, 'maxRowsTotal', 'int64'],
        ),
      ],
      [
        'FetchRequest',
        'fetch',
        message(
          [1, 'connectionId', 'string'],
          [2, 'statementId', 'uint32'],
          [3, 'offset', 'uint64'],
          [5, 'fetchMaxRowCount', 'int32'],
        ),
      ],
      ['CreateStatementRequest', 'createStatement', ofConnection],
      ['CloseStatementRequest', 'closeStatement', ofStatement],
      ['OpenConnectionRequest', 'openConnection', message([1, 'connectionId', 'string'], [2, 'info', 'map'])],
      ['CloseConnectionRequest', 'closeConnection', ofConnection],
      [
        'ConnectionSyncRequest',
        'connectionSync',
        message([1, 'connectionId', 'string'], [2, 'connProps', ConnectionPropertiesMessage]),
      ],
      [
        'ExecuteRequest',
        'execute',
        message(
          [1, 'statementHandle', message([1, 'connectionId', 'string'], [2, 'id', 'uint32'])],
          [2, 'parameterValues', TypedValueMessage, 'repeated'],
          [5, 'maxRowCount', 'int32'],
        ),
      ],
      ['SyncResultsRequest', 'syncResults', ofStatement],
      ['CommitRequest', 'commit', ofConnection],
      ['RollbackRequest', 'rollback', ofConnection],
      ['PrepareAndExecuteBatchRequest', 'prepareAndExecuteBatch', ofStatement],
      ['ExecuteBatchRequest', 'executeBatch', ofStatement],
    ] as const
  ).map(([name, request, described]) => [
    `org.apache.calcite.avatica.proto.Requests$${name}`,
    { request, message: described },
  ]),
)

const nothing = message()

/** By JSON response name. */
export const responseMessages: ReadonlyMap<string, { readonly name: string; readonly message: Message }> = new Map(
  (
    [
      ['openConnection', 'OpenConnectionResponse', nothing],
      ['closeConnection', 'CloseConnectionResponse', nothing],
      ['closeStatement', 'CloseStatementResponse', nothing],
      ['commit', 'CommitResponse', nothing],
      ['rollback', 'RollbackResponse', nothing],
      ['connectionSync', 'ConnectionSyncResponse', message([1, 'connProps', ConnectionPropertiesMessage])],
      [
        'databaseProperties',
        'DatabasePropertyResponse',
        message([
          1,
          'props',
          message([1, 'key', message([1, 'name', 'string'])], [2, 'value', TypedValueMessage]),
          'repeated',
        ]),
      ],
      ['createStatement', 'CreateStatementResponse', ofStatement],
      ['prepare', 'PrepareResponse', message([1, 'statement', StatementHandleMessage])],
      ['resultSet', 'ResultSetResponse', ResultSetMessage],
      ['executeResults', 'ExecuteResponse', message([1, 'results', ResultSetMessage, 'repeated'])],
      ['fetch', 'FetchResponse', message([1, 'frame', FrameMessage])],
      [
        'error',
        'ErrorResponse',
        message(
          [1, 'exceptions', 'string', 'repeated'],
          [7, 'hasExceptions', 'bool'],
          [2, 'errorMessage', 'string'],
          [3, 'severity', enumeration],
          [4, 'errorCode', 'int32'],
          [5, 'sqlState', 'string'],
        ),
      ],
    ] as const
  ).map(([response, name, described]) => [
    response,
    { name: `org.apache.calcite.avatica.proto.Responses$${name}`, message: described },
  ]),
)
