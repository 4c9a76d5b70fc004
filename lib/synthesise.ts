import type { AppProps } from 'aws-cdk-lib'
import { App } from 'aws-cdk-lib'
import { SearchService } from './search-service.ts'
import type { Stage } from './stage.ts'
import { defaultWarehouse } from './warehouse.ts'

/** Builds the app of one stage: what `cdk deploy` uploads and what the local service runs. */
export function buildApp(stage: Stage, props: AppProps = {}): App {
  const app = new App({ analyticsReporting: false, treeMetadata: false, ...props })
  new SearchService(app, 'SearchService', { stage, warehouse: defaultWarehouse })
  return app
}
