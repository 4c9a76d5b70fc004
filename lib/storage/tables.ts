import { RemovalPolicy } from 'aws-cdk-lib'
import {
  AttributeType,
  Billing,
  CfnGlobalTable,
  ProjectionType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb'
import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { Key } from 'aws-cdk-lib/aws-kms'
import { Construct } from 'constructs'
import type { IndexSchema, TableSchema } from '../../schema/tables.ts'
import { accessTable, catalogueTable, contentsTable, jobsTable } from '../../schema/tables.ts'
import type { Stage } from '../stage/stage.ts'

type TableAction = `dynamodb:${'BatchGetItem' | 'DeleteItem' | 'PutItem' | 'Query' | 'Scan' | 'UpdateItem'}`

/** The tables of the service, made from the schemas that its adapters read. */
export class Tables extends Construct {
  readonly jobs: TableV2
  readonly access: TableV2
  readonly catalogue: TableV2
  readonly contents: TableV2

  private readonly key: IKey | undefined

  constructor(scope: Construct, id: string, { stage }: { readonly stage: Stage }) {
    super(scope, id)
    const { encryptionKeyArn } = stage
    const key = encryptionKeyArn === undefined ? undefined : Key.fromKeyArn(this, 'Key', encryptionKeyArn)
    this.key = key
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
    // Named anew when their items changed: entries of before cannot be read, and fee schedules are loaded again.
    this.catalogue = makeTable('FeeSchedules', catalogueTable)
    this.contents = makeTable('Contents', contentsTable)
  }

  /** Allows actions on one table, but not on its indexes. */
  allow(grantee: IGrantable, table: TableV2, ...actions: TableAction[]): void {
    this.allowOn(grantee, table.tableArn, actions)
  }

  /** Allows queries of one index. */
  allowIndex(grantee: IGrantable, table: TableV2, { name }: IndexSchema): void {
    this.allowOn(grantee, `${table.tableArn}/index/${name}`, ['dynamodb:Query'])
  }

  private allowOn(grantee: IGrantable, resource: string, actions: readonly TableAction[]): void {
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: [...actions], resources: [resource] }))
    this.key?.grantEncryptDecrypt(grantee)
  }
}

/** `TableV2` supports this only for stacks with a fixed region; ours can be deployed in any. */
function encryptWith(table: TableV2, key: IKey): void {
  const resource = table.node.defaultChild
  if (!(resource instanceof CfnGlobalTable)) throw new TypeError('TableV2 is no longer a CfnGlobalTable')
  resource.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' })
  resource.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: key.keyArn })
}
