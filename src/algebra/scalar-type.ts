/** A timestamp is milliseconds since 1970. */
export type ScalarType = 'string' | 'long' | 'double' | 'timestamp' | 'boolean'

/** A long is a `bigint`. A boolean that is unknown is null. */
export type ScalarValue = string | number | bigint | boolean | null
