// The layout of a row in Druid. The pipeline writes rows in it to the topic that the entity's supervisor reads; the store reads them back.
// Hidden columns have names that no field can have.

/** Druid's own time column: milliseconds since the epoch. */
export const timeColumn = '__time'
/** The row's position: unique; of two rows, the one with the higher position is newer. */
export const positionColumn = ':position'
/** Where newer rows replace older ones: a comma-separated list of the fields pushed as null; omitted if there are none. */
export const nullsColumn = ':nulls'

export function rowsTopic(clusterName: string, entityId: number): string {
  return `${clusterName}.rows.${entityId}`
}

export function dataSourceName(clusterName: string, entityId: number | ''): string {
  return `${clusterName}_${entityId}`
}

/** The data source of an entity's hours, which outlive its rows. */
export const hoursSourceName = (clusterName: string, entityId: number): string =>
  `${dataSourceName(clusterName, entityId)}_hours`
