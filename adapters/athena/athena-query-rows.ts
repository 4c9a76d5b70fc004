import { AthenaClient, type ColumnInfo, paginateGetQueryResults, type Row } from '@aws-sdk/client-athena'
import type { QueryRows, ResultColumn } from '../../core/own-relation/ports.ts'
import { longRequests } from '../request-limits.ts'
import { requireFields } from '../require-fields.ts'

/** Reads the rows of finished Athena queries. */
export function createAthenaQueryRows(client = new AthenaClient(longRequests)): QueryRows {
  return {
    readAll: async (queryId) => {
      const rows: (readonly (string | undefined)[])[] = []
      let columns: readonly ResultColumn[] = []
      let isFirstPage = true
      for await (const { ResultSet } of paginateGetQueryResults({ client }, { QueryExecutionId: queryId })) {
        if (isFirstPage) columns = (ResultSet?.ResultSetMetadata?.ColumnInfo ?? []).map(describeColumn)
        // The first row of a SELECT's first page is its header. Source: Athena API, GetQueryResults.
        rows.push(...(ResultSet?.Rows ?? []).slice(isFirstPage ? 1 : 0).map(readRow))
        isFirstPage = false
      }
      return { columns, rows }
    },
  }
}

/**
 * Athena reports types without parameters: a decimal's are in separate fields, and an array's element type is missing.
 */
function describeColumn(column: ColumnInfo): ResultColumn {
  requireFields(column, ['Name', 'Type'], 'Athena')
  const name = column.Name.toLowerCase()
  if (column.Type !== 'decimal') return { name, type: column.Type }
  requireFields(column, ['Precision', 'Scale'], 'Athena')
  return { name, type: `decimal(${column.Precision},${column.Scale})` }
}

const readRow = ({ Data = [] }: Row) => Data.map(({ VarCharValue }) => VarCharValue)
