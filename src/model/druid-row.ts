// How a row lies in Druid: the pipeline writes it so to the topic that the entity's supervisor reads, and the store reads it again.
// The hidden columns have names that no field can have.

/** Druid's own time column: milliseconds since the epoch. */
export const timeColumn = '__time'
/** The row's position: unique, decides which of two rows is newer. */
export const positionColumn = ':position'
/** Where newer rows replace older ones: the fields whose null was pushed, with commas between; left out when there is none. */
export const nullsColumn = ':nulls'

/** The topic of an entity's rows. */
export function rowsTopic(clusterName: string, entityId: number): string {
  return `${clusterName}.rows.${entityId}`
}

/** The data source that holds an entity's rows. */
export function dataSourceName(clusterName: string, entityId: number | ''): string {
  return `${clusterName}_${entityId}`
}

/** The data source of the hours that outlive an entity's rows. */
export const hoursSourceName = (clusterName: string, entityId: number): string =>
  `${dataSourceName(clusterName, entityId)}_hours`
