import { RemovalPolicy } from 'aws-cdk-lib'
import {
  AttributeType,
  Billing,
  CfnGlobalTable,
  ProjectionType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb'
import type { IGrantable, PolicyStatementProps } from 'aws-cdk-lib/aws-iam'
import { type IKey, Key } from 'aws-cdk-lib/aws-kms'
import { Construct } from 'constructs'
import {
  accessTable,
  catalogueTable,
  contentsKey,
  contentsTable,
  jobsTable,
  keyUse,
  listedIndex,
  rateAttribute,
  type TableSchema,
  unendedIndex,
  waitSlotOwner,
  webhooksIndex,
  webhooksTable,
} from '../../schema/tables.ts'
import { allow } from '../functions/allow.ts'
import { allowKeys } from '../functions/allow-key.ts'
import type { ResourceUser, Use } from '../functions/service-function.ts'
import type { Stage } from '../stage/stage.ts'

type TableAction = 'BatchGetItem' | 'DeleteItem' | 'PutItem' | 'Query' | 'Scan' | 'UpdateItem'

/** The tables of the service, made from the schemas that its adapters read. */
export class Tables extends Construct {
  readonly jobs: TableV2
  readonly access: TableV2
  readonly catalogue: TableV2
  readonly contents: TableV2
  readonly webhooks: TableV2

  private readonly keyArns: readonly string[]
  private readonly retentionDays: number

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    const { encryptionKeyArn, retentionDays } = stage
    this.retentionDays = retentionDays
    const key = encryptionKeyArn === undefined ? undefined : Key.fromKeyArn(this, 'Key', encryptionKeyArn)
    this.keyArns = key === undefined ? [] : [key.keyArn]
    const makeTable = (name: string, { partitionKey, sortKey, timeToLive, indexes = [] }: TableSchema) => {
      const table = new TableV2(this, name, {
        partitionKey: { name: partitionKey, type: AttributeType.STRING },
        sortKey: { name: sortKey, type: AttributeType.STRING },
        billing: Billing.onDemand(),
        encryption: TableEncryptionV2.dynamoOwnedKey(),
        pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
        deletionProtection: !stage.disposable,
        removalPolicy: stage.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
        globalSecondaryIndexes: indexes.map((index) => ({
          indexName: index.name,
          partitionKey: { name: index.partitionKey, type: AttributeType.STRING },
          sortKey: { name: index.sortKey, type: AttributeType.STRING },
          ...(index.attributes.length === 0
            ? { projectionType: ProjectionType.KEYS_ONLY }
            : { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...index.attributes] }),
        })),
        ...(timeToLive !== undefined && { timeToLiveAttribute: timeToLive }),
      })
      if (key !== undefined) encryptWith(table, key)
      return table
    }
    this.jobs = makeTable('Jobs', jobsTable)
    this.access = makeTable('Access', accessTable)
    // A change of the items' format renames these tables: old items cannot be read, so fee schedules are loaded again.
    this.catalogue = makeTable('FeeSchedules', catalogueTable)
    this.contents = makeTable('Contents', contentsTable)
    this.webhooks = makeTable('Webhooks', webhooksTable)
  }

  /** Reads organizations and keys, and records the day of a key's last use, the only write of functions here. */
  readonly checkKeys: Use = (user) => {
    user.setVariables({ ACCESS_TABLE: this.access.tableName })
    this.allow(user, this.access.tableArn, ['BatchGetItem'])
    this.allow(user, this.access.tableArn, ['UpdateItem'], {
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': [...keyUse.keys, keyUse.day] },
    })
  }

  /** Allows actions on jobs, but not on their indexes. */
  useJobs(...actions: TableAction[]): Use {
    return (user) => {
      user.setVariables({ JOBS_TABLE: this.jobs.tableName, RETENTION_DAYS: this.retentionDays })
      this.allow(user, this.jobs.tableArn, actions)
    }
  }

  /** Holds slots of calls that wait, which are items of their own in the table of jobs. */
  holdWaitSlots(slots: number): Use {
    return (user) => {
      user.setVariables({ WAIT_SLOTS: slots })
      this.allow(user, this.jobs.tableArn, ['UpdateItem'], {
        'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [waitSlotOwner] },
      })
    }
  }

  /** Counts estimates and dear reads in items of the table of jobs, and may write nothing but their rate. */
  readonly countByRate: Use = (user) => {
    user.setVariables({ JOBS_TABLE: this.jobs.tableName })
    this.allow(user, this.jobs.tableArn, ['BatchGetItem'])
    this.allow(user, this.jobs.tableArn, ['UpdateItem'], {
      'ForAllValues:StringEquals': {
        'dynamodb:Attributes': [jobsTable.partitionKey, jobsTable.sortKey, rateAttribute],
      },
    })
  }

  /** Queries the index of jobs that have not ended. */
  readonly findUnendedJobs: Use = (user) => {
    this.allow(user, `${this.jobs.tableArn}/index/${unendedIndex.name}`, ['Query'])
  }

  /** Queries the index of jobs by their creation. */
  readonly listJobs: Use = (user) => {
    this.allow(user, `${this.jobs.tableArn}/index/${listedIndex.name}`, ['Query'])
  }

  /** Sets the variable that names the table of fee schedules, without any right. */
  readonly nameCatalogue = (user: ResourceUser): void => {
    user.setVariables({ CATALOGUE_TABLE: this.catalogue.tableName })
  }

  /** Allows actions on fee schedules. */
  useCatalogue(...actions: TableAction[]): (user: ResourceUser) => void {
    return (user) => {
      user.setVariables({ CATALOGUE_TABLE: this.catalogue.tableName })
      this.allow(user, this.catalogue.tableArn, actions)
    }
  }

  /** Allows actions on contents, sources and filters. */
  useContents(...actions: TableAction[]): (user: ResourceUser) => void {
    return (user) => {
      user.setVariables({ CONTENTS_TABLE: this.contents.tableName })
      this.allow(user, this.contents.tableArn, actions)
    }
  }

  /** Reads the months of NPPES and the specialties; nothing else of the table. */
  readonly readNppes: Use = (user) => {
    user.setVariables({ CONTENTS_TABLE: this.contents.tableName })
    this.allow(user, this.contents.tableArn, ['BatchGetItem'], {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [contentsKey.nppesMonths.owner] },
    })
  }

  /**
   * Allows writes to contents whose partition keys match a pattern.
   *
   * @param keys patterns of IAM, with `*` for any text
   */
  writeContents(keys: readonly string[]): (user: ResourceUser) => void {
    return (user) =>
      this.allow(user, this.contents.tableArn, ['DeleteItem', 'PutItem', 'UpdateItem'], {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...keys] },
      })
  }

  /** Removes the notes of loads whose changes are announced; nothing else in the table can be removed. */
  readonly noteAnnouncedLoads: Use = (user) =>
    this.allow(user, this.contents.tableArn, ['DeleteItem'], {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [contentsKey.unannouncedLoad('').owner] },
    })

  /** Allows actions on webhooks, their secrets and pending events, and queries of their index. */
  useWebhooks(...actions: TableAction[]): Use {
    return (user) => {
      user.setVariables({ WEBHOOKS_TABLE: this.webhooks.tableName })
      this.allow(user, this.webhooks.tableArn, actions)
      this.allow(user, `${this.webhooks.tableArn}/index/${webhooksIndex.name}`, ['Query'])
    }
  }

  private allow(
    grantee: IGrantable,
    resource: string,
    actions: readonly TableAction[],
    conditions: PolicyStatementProps['conditions'] = {},
  ): void {
    allow(
      grantee,
      actions.map((action) => `dynamodb:${action}`),
      [resource],
      conditions,
    )
    allowKeys(grantee, 'use tables', this.keyArns)
  }
}

/** Encrypts a table with an operator's key. `TableV2` can do so only in stacks with a fixed region, unlike this one. */
function encryptWith(table: TableV2, key: IKey): void {
  const resource = table.node.defaultChild
  if (!(resource instanceof CfnGlobalTable)) throw new TypeError('TableV2 is no longer a CfnGlobalTable')
  resource.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' })
  resource.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: key.keyArn })
}
