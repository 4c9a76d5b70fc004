import type { StackProps } from 'aws-cdk-lib'
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib'
import { CfnWorkGroup } from 'aws-cdk-lib/aws-athena'
import { CfnDatabase } from 'aws-cdk-lib/aws-glue'
import type { Construct } from 'constructs'
import { keepUnlessDisposable, PrivateBucket } from './private-bucket.ts'
import { RatesTables } from './rates-tables.ts'
import type { Stage } from './stage.ts'
import type { WarehouseDescription } from './warehouse-description.ts'

export interface WarehouseProps extends StackProps {
  readonly stage: Stage
}

/** The rates and what queries them: a bucket of Parquet files, tables and a view, and a workgroup with a limit of bytes. */
export class Warehouse extends Stack {
  /** What the service needs to know of it. */
  readonly description: WarehouseDescription

  constructor(scope: Construct, id: string, props: WarehouseProps) {
    const { stage } = props
    super(scope, id, { stackName: `${id}-${stage.name}`, ...props })
    const data = new PrivateBucket(this, 'Rates', { stage })
    const queryResults = new PrivateBucket(this, 'QueryResults', {
      stage,
      // Manifests are read within minutes; nothing here is a result that a client was given.
      lifecycleRules: [{ expiration: Duration.days(stage.retentionDays) }],
    })
    const databaseName = nameDatabase(stage)
    const database = new CfnDatabase(this, 'Database', {
      catalogId: this.account,
      databaseInput: { name: databaseName, description: 'Published healthcare rates' },
    })
    database.applyRemovalPolicy(keepUnlessDisposable(stage))
    const location = `s3://${data.bucketName}/`
    new RatesTables(this, 'Tables', { database, databaseName, location, stage })
    const outputLocation = `s3://${queryResults.bucketName}/`
    const workGroup = new CfnWorkGroup(this, 'WorkGroup', {
      // CloudFormation wants this one name from us.
      name: `rate-search-${stage.name}`,
      // A workgroup with queries in its history is not empty, and CloudFormation fails to delete it. Source: Athena API,
      // DeleteWorkGroup.
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        // A client of Athena cannot set its own result location, nor escape the limit.
        enforceWorkGroupConfiguration: true,
        bytesScannedCutoffPerQuery: stage.dataLimitBytes,
        publishCloudWatchMetricsEnabled: true,
        engineVersion: { selectedEngineVersion: 'Athena engine version 3' },
        resultConfiguration: {
          outputLocation,
          encryptionConfiguration:
            stage.encryptionKeyArn === undefined
              ? { encryptionOption: 'SSE_S3' }
              : { encryptionOption: 'SSE_KMS', kmsKey: stage.encryptionKeyArn },
        },
      },
    })
    this.description = {
      workGroup: workGroup.ref,
      database: database.ref,
      queryResults: outputLocation,
      dataLocations: [location],
      ...(stage.encryptionKeyArn !== undefined && { keyArns: [stage.encryptionKeyArn] }),
    }
    const outputs = {
      RatesLocation: [location, 'Where the tables under the relation rates keep their files'],
      DatabaseName: [database.ref, 'Glue database with the relation rates'],
      WorkGroupName: [workGroup.ref, 'Athena workgroup that searches and loads run in'],
    } as const
    for (const [name, [value, description]] of Object.entries(outputs))
      new CfnOutput(this, name, { value, description })
  }
}

/**
 * The name of a stage's database. Glue would make one up, with a hyphen that Athena's DDL does not take (Athena user
 * guide, "Name databases, tables, and columns"), and the view's definition must hold it as text.
 */
export function nameDatabase({ name }: Pick<Stage, 'name'>): string {
  return `rate_search_${name.toLowerCase().replaceAll('-', '_')}`
}
