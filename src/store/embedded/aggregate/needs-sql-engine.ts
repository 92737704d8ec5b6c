/**
 * Thrown to hand the query over to the SQL engine: there are more groups than can be kept or more rows than may be read, or doubles cannot
 * represent a result.
 */
export class NeedsSqlEngine extends Error {}
