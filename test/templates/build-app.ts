import type { App, AppProps } from 'aws-cdk-lib'
import type { Stage } from '../../lib/stage/stage.ts'
import { addStack, createApp } from '../../lib/synthesise.ts'

/** Builds the app of one stage, as `bin/app.ts` does for `cdk deploy` and the local service. */
export function buildApp(stage: Stage, props: AppProps = {}): App {
  const app = createApp(props)
  addStack(app, stage)
  return app
}
