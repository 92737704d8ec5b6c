import Type from 'typebox'

/** The body of a native query. */
export const NativeQueryRequest = Type.Object(
  {
    query_type: Type.String({
      description:
        'timeseries, topN, groupBy, scan, search, timeBoundary, segmentMetadata or dataSourceMetadata. A `queryType` in `query_data` must be the same.',
      examples: ['timeseries'],
    }),
    query_data: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'The query as in Apache Druid. Its data sources are entities, and their time is `__time`. docs/druid-native.md lists the supported components. Any other is rejected with its name and path.',
        examples: [
          {
            queryType: 'timeseries',
            dataSource: 'plant',
            intervals: ['2026-01-01/2026-01-02'],
            granularity: 'hour',
            aggregations: [{ type: 'doubleMean', name: 'mean', fieldName: 'V' }],
          },
        ],
      },
    ),
  },
  { additionalProperties: false, description: 'A native query of Apache Druid.' },
)
