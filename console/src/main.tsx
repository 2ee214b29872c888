/** Starts the console. */
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import './design/styles.css'
import { createConsoleRouter } from './routes.tsx'
import { applyScheme } from './shell/scheme.ts'

applyScheme()
createRoot(document.querySelector('#app')!).render(
  <RouterProvider router={createConsoleRouter()} />,
)
