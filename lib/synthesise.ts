import type { AppProps } from 'aws-cdk-lib'
import { App } from 'aws-cdk-lib'
import { SearchService } from './search-service.ts'
import type { Stage } from './stage.ts'
import { requireValidStage } from './stage-faults.ts'
import { Warehouse } from './warehouse.ts'

/** How the CDK behaves where it lets a project choose: set here, so that tests, local service and deployment agree. */
const featureFlags = {
  '@aws-cdk/aws-iam:minimizePolicies': true,
  '@aws-cdk/aws-lambda:recognizeLayerVersion': true,
  '@aws-cdk/aws-lambda:recognizeVersionProps': true,
  '@aws-cdk/core:checkSecretUsage': true,
  '@aws-cdk/core:defaultCrossStackReferences': 'strong',
  '@aws-cdk/core:enablePartitionLiterals': true,
  '@aws-cdk/core:target-partitions': ['aws', 'aws-cn', 'aws-us-gov'],
}

/** An app whose synthesis depends on nothing but the sources and its context. */
export function createApp(props: AppProps = {}): App {
  return new App({ analyticsReporting: false, treeMetadata: false, postCliContext: featureFlags, ...props })
}

/**
 * Adds the stacks of one stage to an app: the service, and a warehouse unless the stage has its own.
 *
 * @throws StageNotValid
 */
export function addStacks(app: App, stage: Stage): void {
  requireValidStage(stage)
  const warehouse = stage.warehouse ?? new Warehouse(app, 'Warehouse', { stage }).description
  new SearchService(app, 'SearchService', { stage, warehouse })
}

/** The app of one stage: what `cdk deploy` uploads and what the local service runs. */
export function buildApp(stage: Stage, props: AppProps = {}): App {
  const app = createApp(props)
  addStacks(app, stage)
  return app
}
