import type { AppProps } from 'aws-cdk-lib'
import { App } from 'aws-cdk-lib'
import type { SearchServiceProps } from './search-service.ts'
import { SearchService } from './search-service.ts'
import type { Stage } from './stage/stage.ts'
import { Warehouse } from './warehouse/warehouse.ts'

/** CDK feature flags, set here so that tests, the local service and deployments agree. */
const featureFlags = {
  '@aws-cdk/aws-iam:minimizePolicies': true,
  '@aws-cdk/aws-lambda:recognizeLayerVersion': true,
  '@aws-cdk/aws-lambda:recognizeVersionProps': true,
  '@aws-cdk/core:checkSecretUsage': true,
  '@aws-cdk/core:defaultCrossStackReferences': 'strong',
  '@aws-cdk/core:enablePartitionLiterals': true,
  '@aws-cdk/core:target-partitions': ['aws', 'aws-cn', 'aws-us-gov'],
}

/** Creates an app whose synthesis depends only on the sources and its context. */
export function createApp(props: AppProps = {}): App {
  return new App({ analyticsReporting: false, treeMetadata: false, postCliContext: featureFlags, ...props })
}

type Options = Pick<SearchServiceProps, 'findBinding'>

/** Adds the stacks of one stage to an app: the service, and a warehouse unless the stage has its own. */
export function addStacks(app: App, stage: Stage, options: Options = {}): void {
  const warehouse = stage.warehouse ?? new Warehouse(app, 'Warehouse', { stage }).description
  new SearchService(app, 'SearchService', { stage, warehouse, ...options })
}

/** Builds the app of one stage, which `cdk deploy` uploads and the local service runs. */
export function buildApp(stage: Stage, props: AppProps = {}, options: Options = {}): App {
  const app = createApp(props)
  addStacks(app, stage, options)
  return app
}
