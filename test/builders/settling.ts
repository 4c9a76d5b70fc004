import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { createDynamoUsages } from '../../adapters/dynamodb/dynamo-usages.ts'
import { createMemoryAnnouncements } from '../doubles/memory-announcements.ts'

/** What follows the end of a job: slots in a table of jobs, and announcements that are only kept. */
export function openSettling(client: DynamoDBDocumentClient, table: string) {
  const usages = createDynamoUsages(client, table)
  return { usages, reviews: usages, holders: usages, announcements: createMemoryAnnouncements() }
}
