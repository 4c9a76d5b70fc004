import type { AppProps } from 'aws-cdk-lib'
import { App } from 'aws-cdk-lib'
import { SearchService } from './search-service.ts'
import type { Stage } from './stage.ts'
import { defaultWarehouse } from './warehouse.ts'

/** An app whose synthesis depends on nothing but the sources and its context. */
export function createApp(props: AppProps = {}): App {
  return new App({ analyticsReporting: false, treeMetadata: false, ...props })
}

/** Adds the stacks of one stage to an app. */
export function addStacks(app: App, stage: Stage): void {
  new SearchService(app, 'SearchService', { stage, warehouse: defaultWarehouse })
}

/** The app of one stage: what `cdk deploy` uploads and what the local service runs. */
export function buildApp(stage: Stage, props: AppProps = {}): App {
  const app = createApp(props)
  addStacks(app, stage)
  return app
}
