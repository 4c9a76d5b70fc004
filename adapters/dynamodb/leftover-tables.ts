import {
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  ScanCommand,
  UpdateTableCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb'
import { commandRequests } from '../request-limits.ts'

/** A table that a failed creation of a stack may have left. */
export interface LeftoverTable {
  readonly name: string
  readonly createdAt: Date
  readonly isProtected: boolean
  readonly isEmpty: boolean
}

/** Seconds that DynamoDB may take to change or delete an empty table. */
const maxWaitTime = 300

/** Looks up and deletes tables in the account and region of the SDK's defaults. */
export function createLeftoverTables(client = new DynamoDBClient(commandRequests)) {
  const wait = { client, maxWaitTime, minDelay: 1, maxDelay: 5 }
  return {
    /** Returns a table, or undefined if it does not exist. */
    find: async (name: string): Promise<LeftoverTable | undefined> => {
      try {
        const { Table } = await client.send(new DescribeTableCommand({ TableName: name }))
        if (Table?.CreationDateTime === undefined) throw new TypeError(`DynamoDB described ${name} incompletely`)
        if (Table.TableStatus === 'DELETING') return undefined
        const { Count } = await client.send(new ScanCommand({ TableName: name, Limit: 1, ConsistentRead: true }))
        return {
          name,
          createdAt: Table.CreationDateTime,
          isProtected: Table.DeletionProtectionEnabled === true,
          isEmpty: Count === 0,
        }
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return undefined
        throw error
      }
    },
    /** Deletes a table with its deletion protection, and waits until it is gone. */
    remove: async ({ name, isProtected }: LeftoverTable): Promise<void> => {
      if (isProtected) {
        await client.send(new UpdateTableCommand({ TableName: name, DeletionProtectionEnabled: false }))
        // DynamoDB deletes no table that it still updates.
        await waitUntilTableExists(wait, { TableName: name })
      }
      await client.send(new DeleteTableCommand({ TableName: name }))
      await waitUntilTableNotExists(wait, { TableName: name })
    },
  }
}
