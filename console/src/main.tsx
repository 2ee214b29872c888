/** Starts the console. */
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import './design/styles.css'
import { createConsoleRouter } from './routes.tsx'
import { applyAppearance } from './shell/appearance.ts'

applyAppearance()
createRoot(document.querySelector('#app')!).render(
  <RouterProvider router={createConsoleRouter()} />,
)
