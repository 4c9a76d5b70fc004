import { type Answer, type HttpStub, refuse, startHttpStub } from '../../doubles/http-stub.ts'

/** A table that DynamoDB knows. */
export interface ScriptedTable {
  readonly createdAt: Date
  readonly items: number
  readonly isProtected: boolean
}

/** A DynamoDB with tables that have deletion protection, which the local endpoint lacks. */
export interface ScriptedDynamo extends HttpStub {
  /** The names of its tables. */
  listTables(): readonly string[]
}

/**
 * Starts a DynamoDB that refuses to delete protected tables. Source: DynamoDB API, DescribeTable, UpdateTable,
 * DeleteTable.
 */
export async function startScriptedDynamo(scripted: Readonly<Record<string, ScriptedTable>>): Promise<ScriptedDynamo> {
  const tables = new Map(Object.entries(scripted))
  const stub = await startHttpStub(({ operation, body }): Answer => {
    const { TableName: name, DeletionProtectionEnabled } = JSON.parse(body)
    const table = tables.get(name)
    if (table === undefined) return refuse(400, 'ResourceNotFoundException')
    const describe = (field: string): Answer => {
      const { createdAt, isProtected } = table
      const CreationDateTime = createdAt.getTime() / 1000
      const description = {
        TableName: name,
        TableStatus: 'ACTIVE',
        CreationDateTime,
        DeletionProtectionEnabled: isProtected,
      }
      return { status: 200, body: JSON.stringify({ [field]: description }) }
    }
    switch (operation) {
      case 'DescribeTable':
        return describe('Table')
      case 'Scan': {
        const count = Math.min(1, table.items)
        return {
          status: 200,
          body: JSON.stringify({ Count: count, ScannedCount: count, Items: Array(count).fill({}) }),
        }
      }
      case 'UpdateTable':
        tables.set(name, { ...table, isProtected: DeletionProtectionEnabled })
        return describe('TableDescription')
      case 'DeleteTable':
        if (table.isProtected) return refuse(400, 'ResourceInUseException')
        tables.delete(name)
        return describe('TableDescription')
      default:
        throw new Error(`DynamoDB got an unexpected call: ${operation}`)
    }
  })
  return { ...stub, listTables: () => [...tables.keys()].sort() }
}
