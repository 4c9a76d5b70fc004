import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { App, type AppProps } from 'aws-cdk-lib'
import { SearchService } from './search-service.ts'
import type { Release } from './stage/release.ts'
import { applyRules } from './stage/resource-rules.ts'
import type { Stage } from './stage/stage.ts'

/**
 * The CDK's feature flags. `cdk.json` is their only list, and tests and the local service use it as well
 * (docs/adr/0024).
 */
const { context: featureFlags }: { readonly context: Readonly<Record<string, unknown>> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../cdk.json'), 'utf8'),
)

/** Creates an app whose synthesis depends only on the sources and its context. */
export function createApp(props: AppProps = {}): App {
  return new App({ analyticsReporting: false, treeMetadata: false, postCliContext: { ...featureFlags }, ...props })
}

/**
 * Adds the stack of one stage to an app.
 *
 * @param release noted in the stack's outputs. @default - none, for the local service and tests
 */
export function addStack(app: App, stage: Stage, release?: Release): void {
  applyRules(app, stage)
  new SearchService(app, 'SearchService', stage, release)
}
