import { defaultStage } from '../lib/stage.ts'
import { buildApp } from '../lib/synthesise.ts'

buildApp(defaultStage)
