import { chooseStage } from '../lib/stage.ts'
import { addStacks, createApp } from '../lib/synthesise.ts'

const app = createApp()
addStacks(app, chooseStage(app.node))
