import { Duration, Stack } from 'aws-cdk-lib'
import { CfnWorkGroup } from 'aws-cdk-lib/aws-athena'
import { CfnDatabase } from 'aws-cdk-lib/aws-glue'
import { Construct } from 'constructs'
import { fileListsBelow } from '../../schema/columns/search-tables.ts'
import { layoutVersion } from '../../schema/columns/warehouse-tables.ts'
import type { Stage } from '../stage/stage.ts'
import type { WarehouseDescription } from '../stage/warehouse-description.ts'
import { PrivateBucket } from '../storage/private-bucket.ts'
import type { CataloguedWarehouse } from './query-uses.ts'
import { RatesTables } from './rates-tables.ts'

/**
 * Days for which rates can be brought back that `clean` or a mistake has deleted: payers do not publish old months
 * again. A week of what is replaced each month costs a quarter of its storage.
 */
const ratesRecoveryDays = 7

/** Outputs of a stack, each with its description. */
export type StackOutputs = Readonly<Record<string, readonly [value: string, description: string]>>

/**
 * Adds the warehouse of a stage to its stack, unless the operator has one.
 *
 * @returns the warehouse that searches read, and the outputs by which commands find the stage's own
 */
export function addWarehouse(
  scope: Construct,
  stage: Stage,
): { readonly description: CataloguedWarehouse; readonly outputs: StackOutputs } {
  const { warehouse, catalogKeyArn } = stage
  const { description, outputs } =
    warehouse === undefined ? new Warehouse(scope, 'Warehouse', stage) : { description: warehouse, outputs: {} }
  return { description: { ...description, ...(catalogKeyArn !== undefined && { catalogKeyArn }) }, outputs }
}

/** The rates: a bucket of Parquet files, tables and a view, and a workgroup that limits the bytes a query may read. */
export class Warehouse extends Construct {
  /** Names and places of the warehouse, as the service needs them. */
  readonly description: WarehouseDescription
  readonly outputs: StackOutputs

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    const ratesBucket =
      stage.ratesBucket ?? new PrivateBucket(this, 'Rates', { stage, recoveryDays: ratesRecoveryDays }).bucketName
    const queryResults = new PrivateBucket(this, 'QueryResults', {
      stage,
      // Manifests and lists of files are read within minutes. Results that clients get are in another bucket.
      lifecycleRules: [{ expiration: Duration.days(stage.retentionDays) }],
    })
    const databaseName = nameDatabase(stage)
    // Neither the database nor its tables outlive the stage: they only describe files, and the next deploy makes them
    // again. A kept one would have the name that the next deploy needs.
    const database = new CfnDatabase(this, 'Database', {
      catalogId: Stack.of(this).account,
      databaseInput: {
        name: databaseName,
        description: 'Published healthcare rates',
        // In accounts where Lake Formation controls access, tables are then readable with rights of IAM alone, so that
        // one grant on the database is enough. Source: Glue API, DatabaseInput.
        createTableDefaultPermissions: [
          { permissions: ['ALL'], principal: { dataLakePrincipalIdentifier: 'IAM_ALLOWED_PRINCIPALS' } },
        ],
      },
    })
    const location = `s3://${ratesBucket}/`
    const outputLocation = `s3://${queryResults.bucketName}/`
    const fileLists = fileListsBelow(outputLocation)
    new RatesTables(this, 'Tables', { database, databaseName, location, fileLists })
    const workGroup = new CfnWorkGroup(this, 'WorkGroup', {
      // CloudFormation requires a name for workgroups.
      name: `rates-${stage.name}`,
      // Without this, CloudFormation cannot delete a workgroup that has a query history. Source: Athena API,
      // DeleteWorkGroup.
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        // Callers can neither choose another result location nor exceed the limit.
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
      fileLists,
      dataLocations: [location],
      ...(stage.encryptionKeyArn !== undefined && { keyArns: [stage.encryptionKeyArn] }),
    }
    this.outputs = {
      RatesLocation: [location, 'Place of the files of the tables under the relation rates'],
      ManifestsLocation: [outputLocation, 'Place where Athena keeps manifests'],
      RatesLayout: [layoutVersion, 'Version of the columns and folders of these tables'],
      DatabaseName: [database.ref, 'Glue database with the relation rates'],
      WorkGroupName: [workGroup.ref, 'Athena workgroup in which searches and loads run'],
    }
  }
}

/**
 * Returns the name of a stage's database. A name generated by Glue would contain a hyphen, which Athena's DDL rejects
 * (Athena user guide, "Name databases, tables, and columns"), and the view's definition needs the name as text. Earlier
 * versions named it `rate_search_<stage>`, in a stack of its own that an upgrade leaves as it is (docs/adr/0046).
 */
export function nameDatabase({ name }: Pick<Stage, 'name'>): string {
  return `rates_${name.toLowerCase().replaceAll('-', '_')}`
}
