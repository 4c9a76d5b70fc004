import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { createDynamoUsages } from '../../adapters/dynamodb/dynamo-usages.ts'
import { createMemoryAnnouncements } from '../doubles/memory-announcements.ts'

/** Ports that settle an ended job: its slot in the jobs table, and announcements that stay in memory. */
export function openSettling(client: DynamoDBDocumentClient, table: string) {
  const usages = createDynamoUsages(client, table)
  return { usages, reviews: usages, holders: usages, announcements: createMemoryAnnouncements() }
}
