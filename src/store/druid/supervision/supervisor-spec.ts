import { dataSourceName, nullsColumn, positionColumn, rowsTopic, timeColumn } from '../../../model/druid-row.ts'
import type { Entity, EntityField } from '../../../model/entity.ts'

/** Settings for reading Kafka, the same for all entities. */
export interface SupervisionSettings {
  readonly clusterName: string
  /** How Druid connects to Kafka: `bootstrap.servers` and the properties for authentication and TLS. */
  readonly consumerProperties: Readonly<Record<string, string>>
  /** Tasks that read an entity's topic in parallel. */
  readonly taskCount: number
  /** The number of copies of each task. */
  readonly replicas: number
  /** How long a task reads before its rows are published as segments, in whole seconds. */
  readonly taskDurationMs: number
}

export type SupervisedEntity = Pick<Entity, 'id' | 'fields' | 'duplicates' | 'hours'>

interface Dimension {
  readonly type: 'string' | 'double' | 'long'
  readonly name: string
}

const dimensionTypes = { string: 'string', double: 'double', long: 'long', timestamp: 'long', boolean: 'long' } as const

/**
 * Druid's specification of the supervisor that reads an entity's topic. The same entity always has the same specification. `declared` are the columns that
 * an existing specification names, to which this one is limited; null for all columns.
 */
export function supervisorSpec(
  entity: SupervisedEntity,
  settings: SupervisionSettings,
  declared: ReadonlySet<string> | null = null,
): object {
  const { clusterName, consumerProperties, taskCount, replicas, taskDurationMs } = settings
  return {
    type: 'kafka',
    spec: {
      dataSchema: {
        dataSource: dataSourceName(clusterName, entity.id),
        ...rowsAsTheyAre,
        dimensionsSpec: rowsDimensions(entity, declared),
      },
      ioConfig: {
        topic: rowsTopic(clusterName, entity.id),
        inputFormat: { type: 'json' },
        consumerProperties: { ...consumerProperties, 'isolation.level': 'read_committed' },
        useEarliestOffset: true,
        taskCount,
        replicas,
        // In Druid's own notation, so that the specification that Druid returns can be compared.
        taskDuration: `PT${Math.ceil(taskDurationMs / 1000)}S`,
        startDelay: 'PT1S',
        period: 'PT10S',
      },
      // Rows are validated before they are written to the topic. A row that Druid cannot parse is an error of ours, and is kept in Druid's log.
      tuningConfig: { type: 'kafka', logParseExceptions: true, maxSavedParseExceptions: 10 },
    },
    context: concurrentLocks,
  }
}

/** Dates in milliseconds, no rollup, and segments of a UTC day. */
export const rowsAsTheyAre = {
  timestampSpec: { column: timeColumn, format: 'millis' },
  granularitySpec: { type: 'uniform', segmentGranularity: 'DAY', queryGranularity: { type: 'none' }, rollup: false },
} as const

/** `declared`: see `supervisorSpec`. */
export function rowsDimensions(entity: SupervisedEntity, declared: ReadonlySet<string> | null = null): object {
  return {
    dimensions: dimensionsOf(entity).filter(({ name }) => declared === null || declared.has(name)),
    // Fields that are added later are discovered in the rows, with the type in which they are written.
    includeAllDimensions: true,
    useSchemaDiscovery: true,
  }
}

/** Allows segments to be merged, and rows to be removed, while rows are added to the same day. */
export const concurrentLocks = { useConcurrentLocks: true }

/** Segments of one day are merged until they have about five million rows. The newest hour is left to the tasks. */
export function compactionConfig(dataSource: string): object {
  return {
    dataSource,
    skipOffsetFromLatest: 'PT1H',
    tuningConfig: { partitionsSpec: { type: 'dynamic' } },
    granularitySpec: { segmentGranularity: 'DAY' },
    taskContext: concurrentLocks,
  }
}

/** Tags come first, because rows of one date are sorted by their dimensions in this order. */
function dimensionsOf({ fields, duplicates }: SupervisedEntity): Dimension[] {
  const tags = fields.filter(({ role }) => role === 'tag')
  const others = fields.filter(({ role }) => role !== 'tag' && role !== 'time')
  const nulls: Dimension[] = duplicates === 'replace' ? [{ type: 'string', name: nullsColumn }] : []
  return [...tags.map(dimensionOf), ...others.map(dimensionOf), ...nulls, { type: 'long', name: positionColumn }]
}

function dimensionOf({ name, type }: EntityField): Dimension {
  if (type === 'json') throw new Error('a series entity has no json field')
  return { type: dimensionTypes[type], name }
}
