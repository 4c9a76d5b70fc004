import { createHash } from 'node:crypto'
import { at } from './at.ts'

/** The DynamoDB tables: the names of all keys and attributes that infrastructure and adapters share. */

export interface TableSchema {
  readonly partitionKey: string
  readonly sortKey: string
  /**
   * Epoch seconds after which DynamoDB may remove an item. Removal can take days, so readers check expiry themselves.
   */
  readonly timeToLive?: string
  readonly indexes?: readonly IndexSchema[]
}

/** An index that holds only the items that have its keys. */
export interface IndexSchema {
  readonly name: string
  readonly partitionKey: string
  readonly sortKey: string
  /** Attributes that the index has in addition to the keys; empty: only the keys. */
  readonly attributes: readonly string[]
}

/**
 * Jobs that have not ended, by the time when a step last touched them. The index is sparse, so it stays small however
 * many jobs there are.
 */
export const unendedIndex = {
  name: 'unended',
  partitionKey: 'unended',
  sortKey: 'touched_at',
  attributes: ['job_id', 'run', 'status', 'created_at', 'running_query', 'running_since'],
} as const satisfies IndexSchema

/**
 * The index's partition keys. A partition takes 1,000 write units a second and a job costs about six, so one partition
 * would limit the service to 160 searches a second. Source: DynamoDB developer guide, "Best practices for partition
 * keys".
 */
export const unendedPartitions = Array.from({ length: 8 }, (_, partition) => `unended-${partition}`)

/** The partition key of jobs from before the index had several partitions. */
export const singleUnendedPartition = 'unended'

/** The partition of organizations that may hold slots, by the time of their last review. */
export const usagePartition = 'usage'

/** Chooses the partition of a job in the index. */
export function chooseUnendedPartition(jobId: string): string {
  const hash = createHash('sha256').update(jobId).digest().readUInt8(0)
  return `unended-${hash % unendedPartitions.length}`
}

/** The jobs of an organization by creation time. Only jobs have its sort key, so shards and requests are not listed. */
export const listedIndex = {
  name: 'listed',
  partitionKey: 'org_id',
  sortKey: 'listed',
  attributes: [],
} as const satisfies IndexSchema

/** The sort key of a job in `listedIndex`; the id distinguishes jobs of the same millisecond. */
export function writeListedKey({ createdAt, jobId }: { readonly createdAt: Date; readonly jobId: string }): string {
  return `${createdAt.toISOString()}#${jobId}`
}

/** Jobs, their shards and their requests, by organization. A read of another organization's job finds nothing. */
export const jobsTable = {
  partitionKey: 'org_id',
  sortKey: 'item',
  timeToLive: 'expires_at',
  indexes: [unendedIndex, listedIndex],
} as const satisfies TableSchema

/** The kinds of item in the jobs table. The job is small: it is read on every poll. */
export const jobItem = {
  job: (jobId: string) => `job#${jobId}`,
  shards: (jobId: string) => `shards#${jobId}`,
  request: (requestHash: string) => `request#${requestHash}`,
  /** The use of the organization's limits by searches. */
  usage: 'usage',
  /** The bytes that the searches of a key may read by their estimates on a day, if the key has a limit of them. */
  bytes: (keyId: string, day: string) => `bytes#${keyId}#${day}`,
  /** The use by estimates. A separate item, because `usage` grows with slots, and every new search writes it. */
  estimates: 'estimates',
  /** The use by dear reads. */
  reads: 'reads',
} as const

/** The attribute of these two items: the time at which nothing of the rate will be used. */
export const rateAttribute = 'tat'

/**
 * The time of the last forced refresh of the catalogue, and the time at which the allowance of forced refreshes is
 * whole again. It belongs to no organization.
 */
export const forcedRefreshItem = { org_id: 'service', item: 'forced-refresh' } as const

/** The latest time at which lists of files did not work, although folders did; it belongs to no organization. */
export const listFaultItem = { org_id: 'service', item: 'list-fault' } as const

/**
 * A slot of a call that waits for the end of a job: these items belong to no organization either.
 *
 * @param slot `2` of the stage, `<organization>#0` of an organization's share; both counted from 0
 */
export const waitSlotItem = (slot: string) => ({ org_id: waitSlotOwner, item: `wait#${slot}` })

/** The partition of these slots, which is all that a waiting call may write. */
export const waitSlotOwner = 'wait-slots'

/** Organizations and their keys, by organization. */
export const accessTable = { partitionKey: 'org_id', sortKey: 'item' } as const satisfies TableSchema

export const accessItem = {
  organization: 'organization',
  key: (keyId: string) => `key#${keyId}`,
} as const

/**
 * Attributes that functions may write in the access table: the day of a key's last use. Every write also names the
 * keys.
 */
export const keyUse = { day: 'last_used_on', keys: ['org_id', 'item'] } as const

/** Webhooks that are called, deliveries that are due, and those that were given up, each by a time. */
export const webhooksIndex = {
  name: 'queue',
  partitionKey: 'queue',
  sortKey: 'at',
  attributes: [],
} as const satisfies IndexSchema

/** The index's partition keys. One takes 1,000 write units a second, and a call four: 250 calls a second. */
export const webhookQueue = { endpoints: 'endpoints', due: 'due', failed: 'failed' } as const

/**
 * Webhooks of organizations with their secrets, and the events that wait for delivery. They are not in the table of
 * keys, because every call reads that one.
 */
export const webhooksTable = {
  partitionKey: 'org_id',
  sortKey: 'item',
  timeToLive: 'expires_at',
  indexes: [webhooksIndex],
} as const satisfies TableSchema

export const webhookItem = {
  endpoint: (endpointId: string) => `endpoint#${endpointId}`,
  delivery: (endpointId: string, eventId: string) => `delivery#${endpointId}#${eventId}`,
  parseDelivery: (item: string) => {
    const parts = item.split('#')
    return { endpointId: at(parts, 1), eventId: at(parts, 2) }
  },
} as const

/**
 * An index that nothing has the keys of any more: CloudFormation deletes one index of a table in an update, and this
 * version deletes another. Source: AWS::DynamoDB::GlobalTable, GlobalSecondaryIndexes.
 */
const formerIndex = {
  name: 'payer-names',
  partitionKey: 'payer_initial',
  sortKey: 'payer_folded',
  attributes: [],
} as const satisfies IndexSchema

/** Fee schedules that can be searched, one item for each payer and name. */
export const catalogueTable = {
  partitionKey: 'payer',
  sortKey: 'plan',
  indexes: [formerIndex],
} as const satisfies TableSchema

/** Contents, sources, filters, loads and their workers' shared state; the index of words; names of codes. */
export const contentsTable = { partitionKey: 'owner', sortKey: 'item' } as const satisfies TableSchema

/** All tables, by the names of their constructs. */
export const serviceTables = {
  Jobs: jobsTable,
  Access: accessTable,
  FeeSchedules: catalogueTable,
  Contents: contentsTable,
  Webhooks: webhooksTable,
} as const satisfies Readonly<Record<string, TableSchema>>

/** Something of each table, such as its name in AWS. */
export type OfTables<Value> = Readonly<Record<keyof typeof serviceTables, Value>>

/** The parts of an item that is too large for one, in order. */
const nameItem = (kind: string, part: number) => `${kind}#${String(part).padStart(6, '0')}`

/**
 * The keys of the contents table. A content's sources are separate items beside its summary, so that every item stays
 * small.
 */
export const contentsKey = {
  summary: (contentId: string) => ({ owner: `content#${contentId}`, item: 'summary' }),
  sourceRefs: (contentId: string, part: number) => ({ owner: `content#${contentId}`, item: nameItem('sources', part) }),
  source: (sourceId: string) => ({ owner: `source#${sourceId}`, item: 'source' }),
  /** The latest source of a file, by the hash of the file's identity. */
  latestSource: (identityHash: string) => ({ owner: `file#${identityHash}`, item: 'latest' }),
  filter: (filterId: string, part: number) => ({ owner: `filter#${filterId}`, item: nameItem('part', part) }),
  /** The setting of the days that searches can name in `as_of`. */
  keptDays: { owner: 'history', item: 'kept-days' },
  /** The months of NPPES. */
  nppesMonths: { owner: 'nppes', item: 'months' },
  indexSegment: (segmentId: string) => ({ owner: 'index', item: segmentId }),
  /** Present when all fee schedules are indexed. */
  indexed: { owner: 'indexed', item: 'all' },
  /** The postings of a segment whose keys begin with the same two characters. */
  indexPart: (first: string, second: string, segmentId: string, part: number) => ({
    owner: `words#${first}`,
    item: `${second}#${segmentId}#${part}`,
  }),
  /** The names that a source writes for billing codes; version 0.3 stored them by publisher only. */
  sourceNames: (sourceId: string, part: number) => ({ owner: `source#${sourceId}`, item: nameItem('names', part) }),
  /** A list of names of a payer's codes, in parts. Without an id and a part, how the keys of a payer begin. */
  nameList: (payerKey: string, id: string, part: string) => ({
    owner: 'names-of',
    item: payerKey && `${payerKey}#${id && `${id}#${part}`}`,
  }),
  nameVersion: { owner: 'names', item: 'version' },
  /** The specialties of providers. */
  specialties: { owner: 'nppes', item: 'specialties' },
  /** The record of a load that operators see, even after its end. */
  loadRecord: (loadId: string) => ({ owner: 'loads', item: loadId }),
  /** Present from a load's first switch until what it changed is announced. */
  unannouncedLoad: (loadId: string) => ({ owner: 'unannounced-loads', item: loadId }),
  loadOrder: (loadId: string) => ({ owner: `load#${loadId}`, item: 'order' }),
  /** The files of a load's table of contents, in parts. Version 0.2 had another form, under other names. */
  loadListing: (loadId: string) => ({ owner: `load#${loadId}`, item: 'listed' }),
  loadListingPart: (loadId: string, part: number) => ({ owner: `load#${loadId}`, item: nameItem('listed', part) }),
  loadTask: (loadId: string, task: string) => ({ owner: `load#${loadId}`, item: `task#${task}` }),
  /** A file that a load is to read, by its place in the queue. */
  openFile: (loadId: string, key: string) => ({ owner: `work#${loadId}`, item: key }),
  /** The outcome of a file of a load, by the hash of its identity. */
  fileOutcome: (loadId: string, identityHash: string) => ({ owner: `outcomes#${loadId}`, item: identityHash }),
  /** Counts the versions of the table `current_contents`. */
  currentVersion: { owner: 'current-contents', item: 'version' },
  /** Sources of earlier loads that a load keeps; without a load or a part, how their keys begin. */
  pinned: (loadId: string, part: string) => ({ owner: 'open-loads', item: loadId && `${loadId}#${part}` }),
} as const
