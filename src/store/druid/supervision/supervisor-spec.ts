import { dataSourceName, nullsColumn, positionColumn, rowsTopic, timeColumn } from '../../../model/druid-row.ts'
import type { Entity, EntityField } from '../../../model/entity.ts'

/** How Druid reads Kafka, the same for all entities. */
export interface SupervisionSettings {
  readonly clusterName: string
  /** Kafka as Druid reaches it: `bootstrap.servers` and what authentication and TLS need. */
  readonly consumerProperties: Readonly<Record<string, string>>
  /** Tasks that read an entity's topic side by side. */
  readonly taskCount: number
  /** Copies of each task. */
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
 * What Druid is told to do with an entity's topic. The same entity gives the same specification, whoever makes it. `declared`: the columns
 * that a specification names which is there already; null for all.
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
        // As Druid writes it, so that what it tells of the specification can be compared.
        taskDuration: `PT${Math.ceil(taskDurationMs / 1000)}S`,
        startDelay: 'PT1S',
        period: 'PT10S',
      },
      // Rows were validated before they came into the topic: one that Druid cannot read is a fault of ours, and is kept in its log.
      tuningConfig: { type: 'kafka', logParseExceptions: true, maxSavedParseExceptions: 10 },
    },
    context: concurrentLocks,
  }
}

/** Each row with its date to the millisecond, in segments of a UTC day. */
export const rowsAsTheyAre = {
  timestampSpec: { column: timeColumn, format: 'millis' },
  granularitySpec: { type: 'uniform', segmentGranularity: 'DAY', queryGranularity: { type: 'none' }, rollup: false },
} as const

/** `declared`: as of `supervisorSpec`. */
export function rowsDimensions(entity: SupervisedEntity, declared: ReadonlySet<string> | null = null): object {
  return {
    dimensions: dimensionsOf(entity).filter(({ name }) => declared === null || declared.has(name)),
    // Fields that are added later are found in the rows, with the type that they are written in.
    includeAllDimensions: true,
    useSchemaDiscovery: true,
  }
}

/** Lets segments be merged, and rows be removed, while others are added to the same day. */
export const concurrentLocks = { useConcurrentLocks: true }

/** Segments of one day are merged until they have about five million rows; the newest hours are left to the tasks. */
export function compactionConfig(dataSource: string): object {
  return {
    dataSource,
    skipOffsetFromLatest: 'PT1H',
    tuningConfig: { partitionsSpec: { type: 'dynamic' } },
    granularitySpec: { segmentGranularity: 'DAY' },
    taskContext: concurrentLocks,
  }
}

/** Tags come first: rows of one date lie in the order of their dimensions. */
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
